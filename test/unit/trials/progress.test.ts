import assert from "node:assert/strict";
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { parseScenario } from "../../../grader/scenario/parse-scenario.ts";
import { type LogWatch, watchLog } from "../../../grader/trials/progress.ts";
import { controlLine, eventLine } from "../../support/log-lines.ts";
import { scratchFolder } from "../../support/scratch.ts";

const MARKERS = "markers:\n  - { name: A, event: a }\n  - { name: B, event: b }\n";

function scene(t: TestContext, text: string) {
  const folder = join(scratchFolder(t), "telemetry");
  mkdirSync(folder);
  const log = join(folder, "telemetry-0.log");
  const scenario = parseScenario(`waymark: 1\nscenario: s\n${text}`, "s.yaml");
  let changed = (): void => undefined;
  const watch = watchLog({
    folder,
    name: "telemetry",
    scenarios: [scenario],
    params: new Map(),
    onChange: () => changed(),
  });
  t.after(() => watch.stop());
  /** Appends lines and resolves once what is asked for is so. */
  const until = async (lines: string, isSo: (watch: LogWatch) => boolean): Promise<void> => {
    const seen = new Promise<void>((resolve) => {
      changed = () => {
        if (isSo(watch)) resolve();
      };
    });
    appendFileSync(log, lines);
    await seen;
  };
  return { watch, until };
}

const lit = (watch: LogWatch): number => watch.progress()[0]?.lit ?? -1;

test("markers light up while the log grows, and what is waited for is named", async (t) => {
  const { watch, until } = scene(t, MARKERS);
  assert.deepEqual(watch.progress(), [{ scenario: "s", lit: 0, of: 2, isDecided: false, waitingFor: "A" }]);
  await until(controlLine("start", { record_format: 1, first_seq: 1 }) + eventLine("a", 1), (one) => lit(one) === 1);
  assert.deepEqual(watch.awaited(), ["s: B"]);
  assert.equal(watch.isDecided(), false);
  await until(eventLine("noise", 2) + eventLine("b", 3), (one) => one.isDecided());
  assert.deepEqual([lit(watch), watch.awaited()], [2, []]);
});

test("looking does not touch the state: a rule that is open stays open, whatever a cut capture would count as", async (t) => {
  const rules = `${MARKERS}rules:\n  - { name: R, never: { event: c } }\non_cut: complete\n`;
  const { watch, until } = scene(t, rules);
  const begin = controlLine("start", { record_format: 1, first_seq: 1 }) + eventLine("a", 1) + eventLine("b", 2);
  await until(begin, (one) => lit(one) === 2);
  for (let look = 0; look < 3; look++) assert.equal(watch.progress()[0]?.isDecided, false);
  await until(eventLine("c", 3), (one) => one.isDecided());
});

test("by event time nothing is decided before the end, since an event may still come between", async (t) => {
  const { watch, until } = scene(t, `${MARKERS}events: { order: time, lateness: 1h }\n`);
  const begin = controlLine("start", { record_format: 1, first_seq: 1 });
  await until(begin + eventLine("a", 1) + eventLine("b", 2), (one) => lit(one) === 2);
  assert.equal(watch.isDecided(), false);
});
