import type { Graded } from "../grader/grade.ts";
import type { SeriesStanding } from "../grader/live-series.ts";
import type { LoadedScenario } from "../grader/scenario/load.ts";
import { standingKey } from "../grader/watch/standing-key.ts";
import { renderFault, waymarkError } from "../proxy/record/fault.ts";
import { DEFAULT_LOG, SCENARIO_OPTIONS } from "./defaults.ts";
import { paramValues } from "./params.ts";
import { durationMs } from "./quantities.ts";
import { type Reporting, reportingFor } from "./reporting.ts";
import { RUN_PLACES } from "./runs-options.ts";
import { selectScenarios } from "./selection.ts";
import { stopSignal } from "./signals.ts";
import type { Terminal } from "./terminal.ts";
import type { Arguments, Verb } from "./verb.ts";
import { awaitCapture } from "./watch-await.ts";
import { createRunNames, type RunNames } from "./watch-names.ts";
import { openStageOfWatch, type WatchStage } from "./watch-stage.ts";

export const watch: Verb = {
  name: "watch",
  usage: "watch [LOG]",
  describe:
    "Shows live how far an app has come: markers light up as its telemetry arrives, from a proxy that runs or a log that grows, across rotation. Waits for a capture that is not there yet; ends as `grade` does, with the same verdict and exit code.",
  options: {
    ...SCENARIO_OPTIONS,
    log: { kind: "text", value: "LOG", describe: "watched when no LOG is named", defaultText: DEFAULT_LOG },
    param: { kind: "list", value: "NAME=VALUE", describe: "a scenario's parameter" },
    session: { kind: "text", value: "ID", describe: "only this session" },
    since: { kind: "text", value: "TIME", describe: "only what arrived since then: an ISO time, or 10m back from now" },
    wait: {
      kind: "text",
      value: "DURATION",
      describe: "at most this long; what stands there then counts as complete",
    },
    until: {
      kind: "text",
      value: "WHEN",
      describe: "complete: ends when the verdict is final or the capture over; quit: only with a key or --wait",
      defaultText: "quit on a terminal, else complete",
    },
    label: { kind: "text", value: "NAME", describe: "label of the runs that the key s saves", defaultText: "good" },
    ...RUN_PLACES,
  },
  maxPositionals: 1,
  examples: [
    ["waymark watch -s simple_collab_switch", "beside `waymark proxy`: click, and see the markers light up"],
    ["waymark watch -s checkout app.ndjson --until complete", "a log that grows, until the verdict is final"],
    ["waymark watch --reporter ndjson --wait 2m", "a line of JSON as each marker is reached"],
  ],
  async run(args, terminal) {
    const scenarios = await selectScenarios(args, terminal);
    const reporting = reportingFor(args, terminal);
    const names = createRunNames();
    const log = args.positionals[0] ?? args.text("log") ?? DEFAULT_LOG;
    const stage = openStageOfWatch(args, terminal, { log, reporting, names });
    try {
      const stop = stopSignal();
      const watching = new Watching({ args, scenarios, stage, names, log });
      const graded = await watching.untilDone(stop.signal);
      stage.close();
      const code = await conclude(graded, reporting, terminal);
      return stop.exitCode() ?? (watching.isInterrupted ? INTERRUPTED : code);
    } finally {
      stage.close();
    }
  },
};

const INTERRUPTED = 130;
const NOT_REPORTED = 3;

async function conclude({ document, warnings }: Graded, reporting: Reporting, terminal: Terminal): Promise<number> {
  for (const result of document.results) reporting.result(result);
  reporting.end(document);
  for (const fault of warnings) terminal.err(`${renderFault(fault)}\n`);
  const isReported = await reporting.close();
  return isReported ? document.exit_code : Math.max(document.exit_code, NOT_REPORTED);
}

interface WatchOrder {
  readonly args: Arguments;
  readonly scenarios: readonly LoadedScenario[];
  readonly stage: WatchStage;
  readonly names: RunNames;
  readonly log: string;
}

/** One watching, from its beginning to its verdict, over as many restarts as somebody asks for. */
class Watching {
  isInterrupted = false;
  readonly #order: WatchOrder;
  readonly #standings = new Map<string, () => SeriesStanding>();
  #turn = new AbortController();
  #restarts = false;

  constructor(order: WatchOrder) {
    this.#order = order;
    order.stage.onKey((key) => this.#key(key));
  }

  async untilDone(stop: AbortSignal): Promise<Graded> {
    const { args } = this.#order;
    const { refuseLongWait } = await import("../grader/grade.ts");
    const wait = args.text("wait");
    const waitMs = wait === undefined ? undefined : durationMs("wait", wait);
    refuseLongWait(waitMs);
    const end = (): void => this.#turn.abort();
    stop.addEventListener("abort", end, { once: true });
    const timer = waitMs === undefined ? undefined : setTimeout(end, Math.ceil(waitMs));
    try {
      return await this.#turns(stop);
    } finally {
      clearTimeout(timer);
      stop.removeEventListener("abort", end);
    }
  }

  async #turns(stop: AbortSignal): Promise<Graded> {
    const { args, stage, log } = this.#order;
    let since = args.text("since");
    for (;;) {
      const begun = new Date().toISOString();
      const isThere = since !== undefined || (await awaitCapture(log, stage.show, this.#turn.signal));
      // An old capture, which nobody wanted to watch, must not be what is graded in the end.
      const graded = await this.#grade(isThere ? since : begun);
      if (!this.#restarts || stop.aborted) return graded;
      this.#restarts = false;
      this.#turn = new AbortController();
      since = new Date().toISOString();
      this.#standings.clear();
      stage.show.clear(`watching from ${since.slice(11, 19)} on`);
    }
  }

  async #grade(since: string | undefined): Promise<Graded> {
    const { args, scenarios, stage, names, log } = this.#order;
    const { gradeLogs } = await import("../grader/grade.ts");
    const session = args.text("session");
    return gradeLogs({
      logs: [log],
      scenarios,
      params: paramValues(args.list("param")),
      follow: this.#turn.signal,
      watching: {
        until: untilOf(args, stage.hasKeys),
        onRead: (standing) => {
          this.#standings.set(standingKey(standing()), standing);
          stage.show.read(standing);
        },
      },
      newRunId: names.idFor,
      ...(since === undefined ? {} : { since }),
      ...(session === undefined ? {} : { session }),
    });
  }

  #key(key: string): void {
    const { stage } = this.#order;
    if (key === "e") stage.show.toggleExplain();
    if (key === "s") void this.#save();
    if (key === "r") this.#restart();
    if (key === "q" || key === "\u0004") this.#turn.abort();
    if (key === "\u0003") {
      this.isInterrupted = true;
      this.#turn.abort();
    }
  }

  #restart(): void {
    this.#restarts = true;
    this.#turn.abort();
  }

  async #save(): Promise<void> {
    const { args, stage, scenarios, log } = this.#order;
    const { saveWatched } = await import("./watch-save.ts");
    const series = [...this.#standings.values()].map((standing) => standing());
    try {
      stage.show.note(await saveWatched({ log, series, scenarios }, args));
    } catch (cause) {
      stage.show.note(`not saved: ${cause instanceof Error ? cause.message : String(cause)}`);
    }
  }
}

function untilOf(args: Arguments, hasKeys: boolean): "complete" | "signal" {
  const until = args.text("until") ?? (hasKeys ? "quit" : "complete");
  if (until === "complete") return "complete";
  if (until === "quit") return "signal";
  throw waymarkError("WM_USAGE", `--until got "${until}"; it takes complete or quit`);
}
