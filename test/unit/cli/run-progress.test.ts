import assert from "node:assert/strict";
import test from "node:test";
import { progressView } from "../../../cli/run-progress.ts";
import { trialOf } from "../../support/batches.ts";

function view({ isTerminal, isQuiet = false }: { readonly isTerminal: boolean; readonly isQuiet?: boolean }) {
  const said: string[] = [];
  let now = 0;
  const progress = progressView({
    terminal: {
      out: () => assert.fail("progress never goes to stdout"),
      err: (text) => void said.push(text),
      outIsTerminal: false,
      errIsTerminal: isTerminal,
      colour: false,
      env: { COLUMNS: "120" },
    },
    scenarios: [{ id: "s", sha256: "", sessions: "all" }],
    planned: 5,
    jobs: 1,
    isQuiet,
    now: () => now,
  });
  return {
    progress,
    said,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

test("without a terminal each run is a line when it ends", () => {
  const { progress, said } = view({ isTerminal: false });
  const trial = trialOf(2, "fail", { variant: "new", task: "t1", ms: 30_000 });
  progress.start(trial.manifest);
  progress.end(trial);
  progress.end(trialOf(3, undefined));
  progress.stop();
  assert.deepEqual(said, [
    "run 2 of 5, new, t1: ✗ fail 1/2 markers, no b, 30.0 s\n",
    "run 3 of 5: stopped, not graded\n",
  ]);
});

test("on a terminal one line is drawn anew: run, markers, what is waited for, time left", () => {
  const { progress, said, pass } = view({ isTerminal: true });
  const first = trialOf(1, "pass", { ms: 20_000 });
  progress.start(first.manifest);
  pass(20_000);
  progress.end(first);
  const second = trialOf(2, "pass");
  progress.start(second.manifest);
  progress.look(second.manifest.id, () => [{ scenario: "s", lit: 1, of: 2, waitingFor: "b", isDecided: false }]);
  pass(5000);
  progress.start(trialOf(3, "pass").manifest);
  progress.say("waymark: something\n");
  progress.stop();
  const lines = said.map((text) => text.replace("\r\u001b[2K", ""));
  assert.ok(
    lines.includes("s  [3/5]  ●○  run 2 5.0 s  run 3 0 ms  waiting for b  about 75.0 s left"),
    lines.join("\n"),
  );
  assert.ok(lines.includes("waymark: something\n"));
  assert.equal(said.at(-1), "\r\u001b[2K", "the line is gone at the end");
});

test("quiet says only what it is told to", () => {
  const { progress, said } = view({ isTerminal: true, isQuiet: true });
  progress.start(trialOf(1, "pass").manifest);
  progress.end(trialOf(1, "pass"));
  progress.say("trouble\n");
  progress.stop();
  assert.deepEqual(said, ["trouble\n"]);
});
