import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { Captured } from "../../../proxy/backlog.ts";
import { takeSeries } from "../../../proxy/log/open-series.ts";
import { openRecording, type Recording } from "../../../proxy/recording.ts";
import { at } from "../../support/records.ts";
import { exchangeOf } from "../../support/requests.ts";
import { scratchFolder } from "../../support/scratch.ts";
import { seriesLines } from "../../support/series.ts";

async function open(t: TestContext): Promise<{ dir: string; recording: Recording }> {
  const dir = scratchFolder(t);
  const options = { log: { dir, name: "t", maxFileBytes: 1_000_000 }, redact: [], maxInflatedBytes: 1_000_000 };
  return { dir, recording: await openRecording(options, { lock: await takeSeries(dir, "t") }) };
}

/** A request with one event, always the same. */
function click(id: string): Captured {
  const exchange = exchangeOf({ target: "/OneCollector/1.0/", body: '{"name":"click","data":{}}' });
  return { kind: "exchange", exchange: { ...exchange, id }, notRecorded: undefined };
}

function answer(id: string, status: number | undefined): Captured {
  return { kind: "answer", id, status };
}

/** The batches, one after the other, and the requests whose event was recorded as a retry. */
async function retriesOf(t: TestContext, batches: readonly (readonly Captured[])[]): Promise<unknown[]> {
  const { dir, recording } = await open(t);
  for (const batch of batches) recording.work(batch);
  await recording.close();
  return seriesLines(dir)
    .filter((line) => at(line, "$capture", "retry") === true)
    .map((line) => at(line, "$capture", "request"));
}

test("an answer tells of a retry wherever the batches are cut", async (t) => {
  const all = [click("1"), click("2"), answer("1", 503), answer("2", 200), click("3"), answer("3", 200), click("4")];
  for (let cut = 0; cut <= all.length; cut += 1) {
    assert.deepEqual(await retriesOf(t, [all.slice(0, cut), all.slice(cut)]), ["3"], `cut before ${cut}`);
  }
});

test("a failure is known from where it stands on, not before", async (t) => {
  assert.deepEqual(await retriesOf(t, [[click("1"), click("2"), answer("1", 500), answer("2", 500), click("3")]]), [
    "3",
  ]);
  assert.deepEqual(await retriesOf(t, [[click("1"), answer("1", undefined), click("2"), answer("2", 200)]]), ["2"]);
});
