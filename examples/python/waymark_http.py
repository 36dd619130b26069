"""waymark's evaluator server from Python, with nothing but the standard library."""

import json
import os
import time
import urllib.error
import urllib.parse
import urllib.request


class EvaluatorError(Exception):
    """The server refused a request: a wrong body, an unknown name, a path out of its root. Never a verdict."""

    def __init__(self, status, error):
        self.status, self.code = status, error.get("code")
        self.pointer, self.known = error.get("pointer"), error.get("known")
        super().__init__(f"{error.get('message')} ({self.code}, HTTP {status})")


class Waymark:
    def __init__(self, url="http://127.0.0.1:5053", token=os.environ.get("WAYMARK_TOKEN"), timeout=120):
        self.url, self.token, self.timeout = url.rstrip("/"), token, timeout
        # no proxy: a harness often has HTTP_PROXY set for the app under test
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def request(self, method, path, body=None, **query):
        query = {name: value for name, value in query.items() if value is not None}
        url = self.url + path + ("?" + urllib.parse.urlencode(query) if query else "")
        headers = {"Content-Type": "application/octet-stream" if isinstance(body, bytes) else "application/json"}
        if self.token:
            headers["Authorization"] = "Bearer " + self.token
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        while True:
            request = urllib.request.Request(url, data=data, headers=headers, method=method)
            try:
                with self.opener.open(request, timeout=self.timeout) as response:
                    return json.load(response)
            except urllib.error.HTTPError as refused:
                if refused.code == 429:  # busy: it says when to come back
                    time.sleep(float(refused.headers.get("Retry-After", 1)))
                    continue
                raise EvaluatorError(refused.code, json.load(refused).get("error", {})) from None

    def evaluate(self, *items, wait=None):
        return self.request("POST", "/evaluate", {"evaluation": list(items)}, wait=wait)

    def grade(self, log, *scenarios, wait=None):
        item = {"evaluator": "teams_scenarios", "scenarios": list(scenarios), "telemetry_file": str(log)}
        return self.evaluate(item, wait=wait)

    def start_batch(self, gate="all"):
        return self.request("POST", "/v1/batches", {"gate": gate})["id"]

    def batch(self, batch):
        return self.request("GET", f"/v1/batches/{batch}")

    def start_run(self, *scenarios, **more):
        return self.request("POST", "/v1/runs", {"scenarios": list(scenarios), **more})

    def stop_run(self, run, idle="2s", most="15s", exit_code=None):
        body = {"settle": {"idle": idle, "max": most}}
        return self.request("POST", f"/v1/runs/{run}/stop", body if exit_code is None else {**body, "exit_code": exit_code})

    def self_report(self, run, claim, text=None):
        self.request("POST", f"/v1/runs/{run}/self-report", {"claim": claim, **({"text": text} if text else {})})

    def steps(self, run, *steps):
        self.request("POST", f"/v1/runs/{run}/steps", {"steps": list(steps)})

    def attach(self, run, name, data, kind="log"):
        return self.request("POST", f"/v1/runs/{run}/attach", data, name=name, kind=kind)

    def markers(self, run, wait=None, marker=None):
        return self.request("GET", f"/v1/runs/{run}/markers", wait=wait, marker=marker)
