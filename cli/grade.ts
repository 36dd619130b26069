import { type Graded, gradeLogs } from "../grader/grade.ts";
import { asText } from "../grader/report/text.ts";
import type { Slowness } from "../grader/slow.ts";
import type { Store } from "../grader/store/store.ts";
import type { ResultDocument } from "../grader/verdict.ts";
import { renderFault, WaymarkError } from "../proxy/record/fault.ts";
import { compileAsUsual } from "./compile-later.ts";
import { DEFAULT_DB, DEFAULT_LOG, SCENARIO_OPTIONS } from "./defaults.ts";
import { paramValues } from "./params.ts";
import { durationMs, wholeNumber } from "./quantities.ts";
import { reportingFor } from "./reporting.ts";
import { selectScenarios } from "./selection.ts";
import { stopSignal } from "./signals.ts";
import type { Terminal } from "./terminal.ts";
import type { Arguments, Verb } from "./verb.ts";

export const grade: Verb = {
  name: "grade",
  usage: "grade [LOG..]",
  describe:
    "Grades logs (files, a series, folders, globs, or - for stdin) against scenarios. Without a range it takes the newest capture, and every output names the lines it graded.",
  options: {
    ...SCENARIO_OPTIONS,
    log: { kind: "text", value: "LOG", describe: "graded when no LOG is named", defaultText: DEFAULT_LOG },
    db: { kind: "text", value: "FILE", describe: "where results are kept", defaultText: DEFAULT_DB },
    store: { kind: "flag", describe: "keep the result (--no-store does not)", defaultText: "true" },
    param: { kind: "list", value: "NAME=VALUE", describe: "a scenario's parameter" },
    all: { kind: "flag", describe: "the whole series, not only its newest capture" },
    since: { kind: "text", value: "TIME", describe: "only what arrived since then: an ISO time, or 10m back from now" },
    session: { kind: "text", value: "ID", describe: "only this session" },
    follow: { kind: "flag", describe: "read on as the log grows, until the verdict is final or Ctrl-C" },
    wait: {
      kind: "text",
      value: "DURATION",
      describe: "as --follow, at most this long; what stands there then counts as complete",
    },
    cut: { kind: "flag", describe: "treat the evidence as cut at its end" },
    fast: {
      kind: "flag",
      describe: "take lines that cannot match for readable: faster, but unreadable ones go unseen",
    },
    threads: {
      kind: "text",
      value: "N",
      describe: "threads that read a log together, 1 to 8; the result is the same",
      defaultText: "2 from 256 MB on",
    },
  },
  examples: [
    ["grade --scenario simple_collab_switch", "the newest capture in logs/telemetry"],
    ["grade -s checkout --json run.ndjson", "one log, one JSON document"],
    ["grade -s checkout --wait 30s", "wait for a running app to get there"],
  ],
  async run(args, terminal) {
    const scenarios = await selectScenarios(args, terminal);
    const reporting = reportingFor(args, terminal);
    const { store, problem } = await openResults(args);
    try {
      const stop = args.flag("follow") ? stopSignal() : undefined;
      const graded = await gradeSelected(args, {
        scenarios,
        onSlow: slowedIn(args, terminal),
        store,
        ...(stop === undefined ? {} : { follow: stop.signal }),
      });
      for (const result of graded.document.results) reporting.result(result);
      reporting.end(graded.document);
      const isReported = await reporting.close();
      const exitCode = conclude(graded, { args, terminal, isReported, problem, file: store?.file });
      return stop?.exitCode() ?? exitCode;
    } finally {
      store?.close();
    }
  },
};

interface Selected {
  readonly scenarios: Awaited<ReturnType<typeof selectScenarios>>;
  readonly store: Store | undefined;
  readonly onSlow: (slowness: Slowness) => void;
  readonly follow?: AbortSignal;
}

/** Where each line is parsed the work is JavaScript's, and that is better compiled; the user hears of it who wants to know. */
function slowedIn(args: Arguments, terminal: Terminal): (slowness: Slowness) => void {
  return ({ reasons, isEachParsed }) => {
    if (isEachParsed) compileAsUsual();
    if (args.flag("verbose")) for (const reason of reasons) terminal.err(`${asText(reason)}\n`);
  };
}

async function gradeSelected(args: Arguments, selected: Selected): Promise<Graded> {
  const { scenarios, store, onSlow, follow } = selected;
  const { positionals } = args;
  const since = args.text("since");
  const session = args.text("session");
  const wait = args.text("wait");
  const threads = args.text("threads");
  return gradeLogs({
    logs: positionals.length > 0 ? positionals : [args.text("log") ?? DEFAULT_LOG],
    scenarios,
    params: paramValues(args.list("param")),
    all: args.flag("all") === true,
    cut: args.flag("cut") === true,
    fast: args.flag("fast") === true,
    onSlow,
    ...(threads === undefined ? {} : { threads: wholeNumber("threads", threads, { min: 1, max: 8 }) }),
    ...(since === undefined ? {} : { since }),
    ...(session === undefined ? {} : { session }),
    ...(wait === undefined ? {} : { waitMs: durationMs("wait", wait) }),
    ...(follow === undefined ? {} : { follow }),
    ...(store === undefined ? {} : { store }),
  });
}

interface OpenedResults {
  readonly store: Store | undefined;
  /** Why there is no store although one was asked for; the grade stands without it. */
  readonly problem: WaymarkError | undefined;
}

async function openResults(args: Arguments): Promise<OpenedResults> {
  if (args.flag("store") === false) return { store: undefined, problem: undefined };
  const file = args.text("db") ?? DEFAULT_DB;
  try {
    const { openStore } = await import("../grader/store/store.ts"); // takes time to load
    return { store: openStore(file), problem: undefined };
  } catch (cause) {
    if (cause instanceof WaymarkError) return { store: undefined, problem: cause };
    throw cause;
  }
}

interface Conclusion {
  readonly args: Arguments;
  readonly terminal: Terminal;
  readonly isReported: boolean;
  readonly problem: WaymarkError | undefined;
  readonly file: string | undefined;
}

const NOT_KEPT = 3;

function conclude({ document, warnings }: Graded, conclusion: Conclusion): number {
  const { args, terminal, isReported, problem, file } = conclusion;
  const faults = [...warnings, ...(problem?.faults ?? [])];
  for (const fault of faults) terminal.err(`${renderFault(fault)}\n`);
  if (!isReported) terminal.err(`the verdict is ${document.verdict}\n`);
  if (file !== undefined && faults.length === 0 && !args.flag("quiet") && !args.flag("json")) {
    terminal.err(nextSteps(document, file));
  }
  return isReported && problem === undefined ? document.exit_code : Math.max(document.exit_code, NOT_KEPT);
}

function nextSteps({ results }: ResultDocument, file: string): string {
  const [only] = results;
  if (only === undefined || results.length > 1)
    return `${results.length} results kept in ${file}; waymark runs list shows them\n`;
  const db = file === DEFAULT_DB ? "" : ` --db ${file}`;
  return `kept as run ${only.run}; waymark runs show ${only.run.slice(0, 13)}${db} shows it again\n`;
}
