"""Grading in pytest: `waymark serve` has to run. Nothing to install beside pytest.

    def test_switch(waymark, agent):
        log = agent.do("switch to calendar and back")
        waymark.expect(log, "simple_collab_switch")

The server's address is $WAYMARK_URL (http://127.0.0.1:5053 unless given), its token $WAYMARK_TOKEN.
"""

import json
import os
import urllib.error
import urllib.request

import pytest

URL = os.environ.get("WAYMARK_URL", "http://127.0.0.1:5053")


class Evaluator:
    def __init__(self):
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        self.last = None

    def evaluate(self, *items, wait="10s"):
        headers = {"Content-Type": "application/json"}
        if os.environ.get("WAYMARK_TOKEN"):
            headers["Authorization"] = "Bearer " + os.environ["WAYMARK_TOKEN"]
        body = json.dumps({"evaluation": list(items)}).encode()
        request = urllib.request.Request(f"{URL}/evaluate?wait={wait}", data=body, headers=headers)
        try:
            with self.opener.open(request, timeout=90) as response:
                self.last = json.load(response)
        except urllib.error.HTTPError as refused:
            pytest.fail(f"waymark refused the request: {json.load(refused)['error']['message']}", pytrace=False)
        return self.last

    def expect(self, log, *scenarios, state=(), **more):
        """The app did what the scenarios say and left the state behind; fails with what came nearest."""
        item = {"evaluator": "app_scenarios", "scenarios": list(scenarios), "telemetry_file": str(log)}
        answer = self.evaluate(item, *state, **more)
        if answer["verdict"] in ("inconclusive", "error"):
            pytest.fail(f"could not be graded: {answer['summary']}", pytrace=False)
        assert answer["verdict"] == "pass", answer["summary"]
        return answer


@pytest.fixture
def waymark(record_property):
    evaluator = Evaluator()
    yield evaluator
    if evaluator.last is not None:
        record_property("waymark", evaluator.last["summary"])  # lands in the JUnit file
