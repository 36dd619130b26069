import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { compareAll, compareHandedOver, EXTRA_NAMES } from "../support/compare-captures.ts";
import { needsShared, SHARED } from "../support/project.ts";
import { at, recordsOf } from "../support/records.ts";
import { capturedRequests } from "../support/requests.ts";

// Every set of captured requests through the pipeline: each event the app handed to its SDK, and each the SDK made itself,
// must be a record with its name, time, session and properties (as the format keeps them).

const CAPTURES = join(SHARED, "captures");
const SETS = existsSync(CAPTURES) ? readdirSync(CAPTURES).sort() : [];

for (const set of SETS) {
  test(`${set}: nothing missing, nothing wrong`, needsShared("captures"), (t) => {
    const requests = capturedRequests(set);
    const wrong: string[] = [];
    let [expected, found] = [0, 0];
    for (const request of requests) {
      const records = recordsOf(request.exchange).filter(({ name }) => !EXTRA_NAMES.has(name));
      wrong.push(...compareAll(request, records), ...compareHandedOver(request, records));
      expected += request.allEvents.length;
      found += records.filter((record) => at(record, "$capture", "undecoded") === undefined).length;
    }
    t.diagnostic(`${set}: ${requests.length} requests, ${expected} events, ${found} found, ${wrong.length} wrong`);
    assert.deepEqual(wrong, []);
    assert.equal(found, expected);
  });
}
