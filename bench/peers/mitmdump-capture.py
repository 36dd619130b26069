"""Says on stderr that mitmdump listens, and writes every request body to the file BENCH_CAPTURE names."""

import json
import os
import sys

from mitmproxy import ctx


class Capture:
    def __init__(self):
        self.file = open(os.environ["BENCH_CAPTURE"], "a", encoding="utf-8")

    def running(self):
        sys.stderr.write(f"listening on http://127.0.0.1:{ctx.options.listen_port}\n")
        sys.stderr.flush()

    def request(self, flow):
        body = flow.request.get_text(strict=False)
        self.file.write(json.dumps({"url": flow.request.url, "body": body}) + "\n")


addons = [Capture()]
