import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { createRetryLedger } from "../../proxy/pipeline/retries.ts";
import { type JsonObject, stringifyJson } from "../../proxy/record/json.ts";
import { needsShared, SHARED } from "../support/project.ts";
import { at, recordsOf } from "../support/records.ts";
import { capturedRequests } from "../support/requests.ts";

// Captures in which the collector refused the first request, or the SDK sent two beacons with the same events.

const CAPTURES = join(SHARED, "captures");
const SETS = existsSync(CAPTURES)
  ? readdirSync(CAPTURES).filter((set) => set.startsWith("retry-") || set.startsWith("mixpanel-browser"))
  : [];

interface Meta {
  readonly duplicateDeliveries: readonly { readonly wm: string; readonly times: number }[];
}

for (const set of SETS) {
  test(`${set}: what was sent again is marked, and nothing else`, needsShared("captures"), () => {
    const ledger = createRetryLedger();
    const records: JsonObject[] = [];
    for (const { exchange, answeredStatus } of capturedRequests(set)) {
      records.push(...recordsOf(exchange, ledger));
      ledger.answered(exchange.id, answeredStatus);
    }
    const { duplicateDeliveries } = JSON.parse(readFileSync(join(CAPTURES, set, "meta.json"), "utf8")) as Meta;
    for (const { wm, times } of duplicateDeliveries) {
      const sent = records.filter((record) => stringifyJson(record).includes(wm));
      const marked = sent.filter((record) => at(record, "$capture", "retry") === true);
      assert.equal(marked.length, times - 1, `${wm} was sent ${times} times`);
    }
    const known = duplicateDeliveries.map(({ wm }) => wm);
    const others = records.filter((record) => !known.some((wm) => stringifyJson(record).includes(wm)));
    for (const record of others.filter((each) => /wm-\d/.test(stringifyJson(each)))) {
      assert.equal(at(record, "$capture", "retry"), undefined, String(record["name"]));
    }
  });
}
