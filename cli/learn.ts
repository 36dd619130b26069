import { statSync } from "node:fs";
import { basename } from "node:path";
import type { ClassGlobs } from "../grader/learn/classes.ts";
import type { HoldoutRow } from "../grader/learn/holdout.ts";
import type { LearnOptions, Model } from "../grader/learn/model.ts";
import type { NegativeReport } from "../grader/learn/negative.ts";
import type { LocatedRun, PartlyRead } from "../grader/learn/read-runs.ts";
import type { Saved } from "../grader/learn/session.ts";
import { asText, plural } from "../grader/report/text.ts";
import { waymarkError } from "../proxy/record/fault.ts";
import { type JsonObject, stringifyJson } from "../proxy/record/json.ts";
import { explainRun } from "./learn-explain.ts";
import { drawGraph, drawStored, wantsGraphOnly } from "./learn-graph.ts";
import { pictureLines, picturesBody, warnOfPictures } from "./learn-pictures.ts";
import { runSources } from "./learn-runs.ts";
import type { Terminal } from "./terminal.ts";
import type { Arguments, OptionSpec, Verb } from "./verb.ts";

const CLASSES = ["effect", "read", "event", "noise", "claim"] as const;

const OPTIONS: Readonly<Record<string, OptionSpec>> = {
  out: {
    kind: "text",
    alias: "o",
    value: "FILE",
    describe: "scenario file; what you changed in it stays",
    defaultText: "stdout",
  },
  name: { kind: "text", value: "ID", describe: "the scenario's id", defaultText: "the file's name" },
  add: { kind: "list", value: "RUN", describe: "one more good run for the scenario in -o, without the old runs" },
  negative: {
    kind: "list",
    value: "RUN",
    describe: "a run known to have failed: measures, and takes out rules that catch none",
  },
  holdout: { kind: "flag", describe: "leave one run out at a time and print what the others' scenario says of it" },
  graph: { kind: "list", value: "FILE", describe: "draw the learned graph: .svg, .dot or .json" },
  "closed-world": { kind: "flag", describe: "fail on event names no good run had; for machine-made logs (guessed)" },
  within: {
    kind: "flag",
    describe: "time limits of three times the slowest good run (--no-within leaves them out)",
    defaultText: "true",
  },
  effect: { kind: "list", value: "GLOB", describe: "names of events that change something" },
  read: { kind: "list", value: "GLOB", describe: "names of events that only look something up" },
  event: { kind: "list", value: "GLOB", describe: "names of events that are neither" },
  noise: { kind: "list", value: "GLOB", describe: "names of events of no account" },
  claim: { kind: "list", value: "GLOB", describe: "names of events in which the agent speaks of its own success" },
  explain: {
    kind: "text",
    value: "RUN",
    describe: "why a run failed, by the scenario in -o: the product or the agent",
  },
  judge: {
    kind: "text",
    value: "CMD",
    describe: "asked (JSON in, JSON out) where screenshots are neither clearly the same nor clearly different",
  },
  db: { kind: "text", value: "FILE", describe: "database of stored runs", defaultText: ".waymark/waymark.db" },
};

export const learn: Verb = {
  name: "learn",
  usage: "learn RUN.. [-o FILE]",
  describe:
    "Learns a scenario from two to ten good runs (run folders, logs, or words such as good and batch:ID). It is an ordinary scenario file that says of each marker and rule why it is there. The same runs in any order give the same file.",
  options: OPTIONS,
  examples: [
    ["waymark learn good -o markers/checkout.yaml", "from the runs labelled good"],
    ["waymark learn --add run6.ndjson -o markers/checkout.yaml", "one more run, without the old ones"],
    ["waymark learn --graph graph.svg -o markers/checkout.yaml", "draw what was learned, without the runs"],
    ["waymark learn --explain failed.ndjson -o markers/checkout.yaml", "the product or the agent?"],
  ],
  async run(args, terminal) {
    if (args.text("explain") !== undefined) return explainRun(args, terminal);
    if (wantsGraphOnly(args)) return drawStored(args, terminal);
    return learnScenario(args, terminal);
  },
};

async function learnScenario(args: Arguments, terminal: Terminal): Promise<number> {
  const { openSession, judgePictures, finish, textFor, save } = await import("../grader/learn/session.ts");
  const { takeRuns } = await import("../grader/learn/take-runs.ts");
  const out = args.text("out");
  const adds = args.list("add");
  if (adds.length > 0 && args.positionals.length > 0) {
    throw waymarkError("WM_USAGE", "--add takes up a learned scenario; name all runs there", {
      fix: "waymark learn --add RUN -o FILE",
    });
  }
  const session = openSession(optionsOf(args), out, adds.length > 0);
  const sources = await runSources(args);
  try {
    const runs = await sources.locate(adds.length > 0 ? adds : args.positionals);
    if (runs.length === 0) throw waymarkError("WM_LEARN_NO_RUNS", "no run is named to learn from");
    if (args.flag("holdout") === true) refuseStreams(runs);
    const partly = await takeRuns(session.distiller, runs, sources.pictures);
    for (const part of partly) terminal.err(`${partLine(part)}\n`);
    const judge = args.text("judge");
    if (judge !== undefined) await judgePictures(session, judge);
    warnOfPictures(runs, sources.pictures, terminal);
    const finished = finish(session, idOf(args, out));
    const failed = await sources.hold(args.list("negative"));
    const { pruneByFailures } = await import("../grader/learn/negative.ts");
    const pruned = failed.length === 0 ? undefined : pruneByFailures(finished.draft, failed);
    const draft = pruned?.draft ?? finished.draft;
    const saved = textFor(draft, out, session.before);
    if (out !== undefined) save(out, saved, { draft, session });
    await drawGraph(args.list("graph"), finished.model);
    const { leaveOneOut } = await import("../grader/learn/holdout.ts");
    const holdout =
      args.flag("holdout") === true ? leaveOneOut(await sources.hold(args.positionals), session.options) : undefined;
    report({ model: finished.model, saved, partly, negative: pruned?.report, holdout }, args, terminal);
    return 0;
  } finally {
    sources.close();
  }
}

function refuseStreams(runs: readonly LocatedRun[]): void {
  const stream = runs.find(({ log }) => log === "-" || isStream(log));
  if (stream === undefined) return;
  throw waymarkError("WM_USAGE", `--holdout reads each run again, and ${stream.name} can be read only once`, {
    fix: "Keep it in a file and name that.",
  });
}

function isStream(log: string): boolean {
  const stats = statSync(log, { throwIfNoEntry: false });
  return stats !== undefined && !stats.isFile() && !stats.isDirectory();
}

function optionsOf(args: Arguments): LearnOptions {
  const classes: ClassGlobs = Object.fromEntries(
    CLASSES.flatMap((kind) => (args.list(kind).length === 0 ? [] : [[kind, args.list(kind)]])),
  );
  const closed = args.flag("closed-world");
  return {
    ...(Object.keys(classes).length === 0 ? {} : { classes }),
    ...(closed === undefined ? {} : { closedWorld: closed }),
    ...(args.flag("within") === false ? { within: false } : {}),
  };
}

function idOf(args: Arguments, out: string | undefined): string {
  return args.text("name") ?? (out === undefined ? "learned" : basename(out).replace(/\.ya?ml$/i, ""));
}

interface Report {
  readonly model: Model;
  readonly saved: Saved;
  readonly partly: readonly PartlyRead[];
  readonly negative: NegativeReport | undefined;
  readonly holdout: readonly HoldoutRow[] | undefined;
}

function report({ model, saved, partly, negative, holdout }: Report, args: Arguments, terminal: Terminal): void {
  const out = args.text("out");
  if (args.flag("json")) {
    const body = {
      schema: "waymark.learn/1",
      ...(out === undefined ? { text: saved.text } : { file: out }),
      runs: model.corpus.traces.length,
      provisional: model.provisional,
      closed_world: model.isClosed,
      loopy: model.graph.isLoopy,
      ...picturesBody(model),
      kept: saved.kept,
      removed: saved.removed,
      partly_read: partly,
      ...(negative === undefined ? {} : { negative }),
      ...(holdout === undefined ? {} : { holdout }),
    };
    terminal.out(`${stringifyJson(body as unknown as JsonObject)}\n`);
    return;
  }
  if (out === undefined) terminal.out(saved.text);
  if (args.flag("quiet")) return;
  const { order, steps, corpus } = model;
  const found = plural(order.pieces.length, "ordered place");
  terminal.err(
    `learned from ${plural(corpus.traces.length, "run")}: ${found}, ${plural(steps.length, "step")}${out === undefined ? "" : `; written to ${asText(out)}`}\n`,
  );
  if (model.graph.isLoopy)
    terminal.err("the runs go in loops: states that come again in other orders dissolve the dominators\n");
  for (const line of pictureLines(model)) terminal.err(`${line}\n`);
  for (const why of model.provisional)
    terminal.err(`warning: provisional, so a pass is reported as inconclusive: ${why}\n`);
  if (saved.kept.length > 0) terminal.err(`kept as you wrote them: ${saved.kept.map(asText).join(", ")}\n`);
  if (saved.removed.length > 0)
    terminal.err(`left out, as you took them out: ${saved.removed.map(asText).join(", ")}\n`);
  for (const line of [...negativeLines(negative), ...holdoutLines(holdout)]) terminal.err(`${line}\n`);
}

/** A step that stood where nothing can be read is missing from what was learned. */
function partLine({ run, gaps, first, cut }: PartlyRead): string {
  const where = first === undefined ? "" : `, the first at ${asText(`${first.file}:${first.line} (${first.why})`)}`;
  const what = [
    ...(gaps === 0 ? [] : [`its log has ${plural(gaps, "gap")}${where}`]),
    ...(cut === undefined || cut === first?.why ? [] : [`it is not whole (${asText(cut)})`]),
  ].join("; ");
  return `warning: of the good run ${asText(run)} only a part was learned: ${what}`;
}

function negativeLines(negative: NegativeReport | undefined): readonly string[] {
  if (negative === undefined) return [];
  const { failures, rules } = negative;
  const caught = failures.filter((one) => one.caught).length;
  return [
    `${caught} of ${failures.length} known failures are failed`,
    ...failures.filter((one) => !one.caught).map(({ run }) => `  not caught: ${asText(run)}`),
    ...rules.filter(({ pruned }) => pruned).map(({ rule }) => `  taken out, it caught none: ${asText(rule)}`),
  ];
}

function holdoutLines(holdout: readonly HoldoutRow[] | undefined): readonly string[] {
  if (holdout === undefined) return [];
  if (holdout.length === 0) return ["leave one out: needs two runs at least"];
  const passed = holdout.filter(({ verdict }) => verdict === "pass").length;
  return [
    `leave one out: ${passed} of ${holdout.length} runs pass the scenario of the others`,
    ...holdout.map(
      ({ run, verdict, coverage, reason }) =>
        `  ${verdict.padEnd(12)} ${coverage.toFixed(2)}  ${asText(run)}${verdict === "pass" ? "" : `  ${asText(reason)}`}`,
    ),
  ];
}
