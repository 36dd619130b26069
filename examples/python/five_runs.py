"""Runs an agent five times through the evaluator server and prints the statistics of the batch.

    waymark proxy --host events.chat.example --sink        # beside the app; prints its port
    waymark serve                                          # grades
    eval "$(waymark env)"                                  # the agent's traffic goes through the proxy
    python3 five_runs.py -- node dist/examples/chat/main.js --seed 52

The agent is any command. WAYMARK_RUN_INDEX, WAYMARK_SELF_REPORT and the like are in its environment, as under `waymark run`.
"""

import argparse
import json
import os
import subprocess
import sys
import time

from waymark_http import Waymark


def one_run(server, batch, options):
    run = server.start_run(options.scenario, batch=batch, telemetry_file=options.log, command=options.command)
    started = time.monotonic()
    agent = subprocess.run(options.command, env={**os.environ, **run["env"]}, stdout=subprocess.PIPE, timeout=300)
    milliseconds = (time.monotonic() - started) * 1000
    server.steps(run["id"], {"name": "agent", "duration_ms": milliseconds})
    server.attach(run["id"], "stdout.log", agent.stdout)
    return server.stop_run(run["id"], idle=options.idle, exit_code=agent.returncode)


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--url", default="http://127.0.0.1:5053")
    words.add_argument("--scenario", default="simple_collab_switch")
    words.add_argument("--log", default="logs/telemetry", help="folder that the proxy writes to, as the server sees it")
    words.add_argument("-n", type=int, default=5)
    words.add_argument("--gate", default="all")
    words.add_argument("--idle", default="2s", help="a run is over when no event came for so long")
    words.add_argument("--json", action="store_true")
    words.add_argument("command", nargs="+")
    options = words.parse_args()
    server = Waymark(options.url)
    batch = server.start_batch(options.gate)
    for number in range(1, options.n + 1):
        run = one_run(server, batch, options)
        print(f"run {number}: {run['summary']}", file=sys.stderr)
    document = server.batch(batch)
    if options.json:
        print(json.dumps(document))
    else:
        for group in document["groups"]:
            print("\n".join(group["words"]))
        print(document["gate"]["words"])
    return document["exit_code"]


if __name__ == "__main__":
    sys.exit(main())
