"""The reference of the grading bench: for each line json.loads, compare dot paths, advance on a match.

python3 loop.py LOG MARKERS    prints {"found": [line indices from 0], "bad": N}
"""
import json
import os
import sys


def deep_get(record, path):
    current = record
    for key in path.split("."):
        if not isinstance(current, dict):
            return None
        current = current.get(key)
    return current


def write_peak():
    """Writes the highest resident memory, in KB, to the file the bench names; nothing where it cannot be known."""
    file = os.environ.get("BENCH_PEAK_FILE")
    if file:
        with open("/proc/self/status", encoding="ascii") as status, open(file, "w", encoding="ascii") as out:
            out.write(next(line.split()[1] for line in status if line.startswith("VmHWM")))


def main(log, markers_file):
    with open(markers_file, encoding="utf-8") as file:
        markers = json.load(file)
    found = []
    bad = 0
    with open(log, encoding="utf-8", newline="\n") as lines:
        for index, line in enumerate(lines):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except ValueError:
                bad += 1
                continue
            if len(found) < len(markers) and all(deep_get(record, path) == value for path, value in markers[len(found)]):
                found.append(index)
    print(json.dumps({"found": found, "bad": bad}))


main(sys.argv[1], sys.argv[2])
if sys.platform == "linux":
    write_peak()
