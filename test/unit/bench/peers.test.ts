import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { LOG_KINDS, type LogKind, logText } from "../../../bench/generate.ts";
import { MARKERS, markersJson } from "../../../bench/markers.ts";
import { benchScript, findPython, nodeProgram, type Program, runToEnd, withPeak } from "../../../bench/processes.ts";
import { PROJECT } from "../../support/project.ts";
import { scratchFolder } from "../../support/scratch.ts";

const PYTHON = findPython();
const LOOP = join(PROJECT, "bench", "peers", "loop.py");

/** Line indices at which the markers stand by the generator's own account: every value awaited, in the right field. */
function placesIn(text: string): number[] {
  const found: number[] = [];
  text.split("\n").forEach((line, index) => {
    const marker = MARKERS[found.length];
    if (marker === undefined || !line.replaceAll('" : ', '":').startsWith(`{"name":"${marker.event}"`)) return;
    const event = JSON.parse(line);
    const values: Record<string, unknown> = {
      "data.Action.Gesture": event.data.Action.Gesture,
      "data.Target.Kind": event.data.Target.Kind,
      "data.Result.Ok": event.data.Result.Ok,
      "data.Result.Count": event.data.Result.Count,
      "ext.app.sesId": event.ext.app.sesId,
    };
    if (Object.entries(marker.where).every(([path, value]) => values[path] === value)) found.push(index);
  });
  return found;
}

async function answerOf(program: Program): Promise<unknown> {
  const run = await runToEnd(program);
  assert.equal(run.code, 0, run.stderr);
  if (process.platform === "linux") assert.ok(run.peakMb !== undefined && run.peakMb > 4, `peak ${run.peakMb} MB`);
  return JSON.parse(run.stdout);
}

for (const kind of ["sparse", "never", "dense", "long"] satisfies LogKind[]) {
  test(`the plain loops find the markers of the ${kind} log (${LOG_KINDS[kind]})`, async (t) => {
    const folder = scratchFolder(t);
    const text = [...logText({ kind, bytes: 400_000, seed: 5 })].join("");
    const [log, markers] = [join(folder, "telemetry-0.log"), join(folder, "markers.json")];
    writeFileSync(log, text);
    writeFileSync(markers, markersJson());
    const expected = { found: placesIn(text), bad: 0 };
    assert.equal(expected.found.length, kind === "never" ? 4 : 5);
    assert.deepEqual(
      await answerOf(withPeak(nodeProgram(benchScript("peers/split2-loop.js"), [log, markers]))),
      expected,
    );
    if (PYTHON === undefined) return t.diagnostic("no python3 here: its loop was not compared");
    assert.deepEqual(await answerOf({ command: PYTHON, args: [LOOP, log, markers] }), expected);
  });
}
