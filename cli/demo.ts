import { createInterface } from "node:readline/promises";
import { DEFAULT_SEED } from "../examples/chat/command.ts";
import { REPORTERS } from "../grader/report/reporters/index.ts";
import { asText } from "../grader/report/text.ts";
import type { BatchDocument } from "../grader/trials/batch.ts";
import type { ScenarioResult } from "../grader/verdict.ts";
import { waymarkError } from "../proxy/record/fault.ts";
import { DEMO_RUNS, type DemoStage, openDemoStage, playDemo, writeDemoReport } from "./demo-stage.ts";
import { wholeNumber } from "./quantities.ts";
import { stopSignal } from "./signals.ts";
import type { Terminal } from "./terminal.ts";
import type { Arguments, Verb } from "./verb.ts";

export const demo: Verb = {
  name: "demo",
  usage: "demo [--dir DIR] [--seed N] [--interactive]",
  describe:
    "Starts a small chat app and a flaky agent on this machine, five times, under the real proxy; grades what the app reported, explains what failed, and writes a report. Offline; exits 0, since the failing run is its point.",
  options: {
    dir: {
      kind: "text",
      value: "DIR",
      describe: "where runs, database and report go; its earlier runs are replaced",
      defaultText: "waymark-demo",
    },
    seed: { kind: "text", value: "N", describe: "another seed, another story", defaultText: String(DEFAULT_SEED) },
    interactive: { kind: "flag", alias: "i", describe: "a sentence before each step, and wait for Enter" },
  },
  maxPositionals: 0,
  // It has to show the same whatever stands in the folder it is tried in.
  ignoresConfig: true,
  async run(args, terminal) {
    const dir = args.text("dir") ?? "waymark-demo";
    const seed = wholeNumber("seed", args.text("seed") ?? String(DEFAULT_SEED), { min: 0, max: 2 ** 32 - 1 });
    const stop = stopSignal();
    const stage = await openDemoStage(dir);
    try {
      return await tell(stage, { seed, args, stop, terminal });
    } finally {
      await stage.close();
    }
  },
};

interface Telling {
  readonly seed: number;
  readonly args: Arguments;
  readonly stop: ReturnType<typeof stopSignal>;
  readonly terminal: Terminal;
}

async function tell(stage: DemoStage, telling: Telling): Promise<number> {
  const { seed, args, stop, terminal } = telling;
  const json = args.flag("json") === true;
  const say = json ? terminal.err : terminal.out;
  const pause = args.flag("interactive") === true ? pauses(telling, say) : async () => undefined;
  say(
    `A chat app and an agent that has to open five chats in order, ${DEMO_RUNS} times, under the proxy (seed ${seed}).\n`,
  );
  await pause(
    "Each run starts app and agent behind a proxy that writes down what the app reports; nothing leaves this machine.",
  );
  const document = await playDemo(stage, { ...telling, terminal: { ...terminal, out: say } });
  const stopped = stop.exitCode();
  if (stopped !== undefined) return stopped;
  refuseUngraded(document);
  show(say, terminal, (pretty) => pretty.onBatch?.(document));
  const failed = document.runs.find(({ verdict }) => verdict === "fail");
  const result = document.results.find(({ run }) => run === failed?.run);
  if (result === undefined) say("\nThis seed has no bad run; try another.\n");
  else {
    await pause(
      "One run failed, whatever its agent said: the grade comes from the app's own events. Here is what they say.",
    );
    say(
      `\nRun ${failed?.index}: the agent said "${asText(failed?.claim ?? "nothing")}"; what the app reported says otherwise:\n\n`,
    );
    show(indented(say), terminal, (pretty) => pretty.onResult?.(result));
  }
  await pause("The same, to look at and to send: one HTML file.");
  const report = await writeDemoReport(stage);
  say(nextSteps(stage.dir, { report, failed: failed?.index }));
  if (json) {
    const results: readonly ScenarioResult[] = document.results;
    terminal.out(`${JSON.stringify({ schema: "waymark.demo/1", seed, report, results })}\n`);
  }
  return 0;
}

/** A demo that cannot be graded says why, and shows nothing that looks like a grade. */
function refuseUngraded({ runs, results, trials }: BatchDocument): void {
  const broken = runs.find(({ verdict }) => verdict === "error" || verdict === "inconclusive");
  if (broken === undefined) return;
  const why =
    trials.find(({ error, index }) => error !== undefined && index === broken.index)?.error?.message ??
    results.find(({ run }) => run === broken.run)?.reason ??
    broken.verdict;
  throw waymarkError("WM_DEMO_FAILED", `run ${broken.index} of the demo could not be graded: ${why}`);
}

type Pretty = ReturnType<(typeof REPORTERS)[number]["create"]>;

function show(write: (text: string) => void, { colour }: Terminal, by: (pretty: Pretty) => void): void {
  const pretty = REPORTERS.find(({ name }) => name === "pretty");
  if (pretty !== undefined) by(pretty.create({ write, colour, detail: 1 }));
}

function indented(write: (text: string) => void): (text: string) => void {
  return (text) => write(text.replaceAll(/^(?=.)/gm, "  "));
}

/** Waits for Enter where somebody can press it. */
function pauses({ stop }: Telling, say: (text: string) => void): (sentence: string) => Promise<void> {
  return async (sentence) => {
    say(`\n  ${sentence}\n`);
    if (process.stdin.isTTY !== true) return;
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    try {
      await lines.question("  Enter goes on ", { signal: stop.signal });
    } catch {
      // Ctrl-C or the end of the input: the demo goes on, or ends by its signal
    } finally {
      lines.close();
    }
  };
}

function nextSteps(dir: string, { report, failed }: { report: string; failed: number | undefined }): string {
  const next = [
    [`explain ${failed ?? 1} --db ${dir}/waymark.db`, "why, event by event"],
    ["demo --seed 7", "another story: nothing here is canned"],
    ["init", "start with an app of your own"],
  ] as const;
  const width = Math.max(...next.map(([words]) => words.length));
  const lines = next.map(([words, says]) => `  npx waymark ${words.padEnd(width)}   ${says}\n`);
  return `\nreport: ${report}   (open it in a browser)\n\ntry next\n${lines.join("")}`;
}
