"""Needs `waymark serve`, and in $CHAT_LOG a log of the chat app (`waymark demo` leaves some in waymark-demo/runs/)."""

import os


def test_five_chats_were_opened_in_order(waymark):
    waymark.expect(os.environ.get("CHAT_LOG", "waymark-demo/runs/1/logs"), "simple_collab_switch", wait="0s")
