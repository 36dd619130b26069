import type { RangeRule } from "../grader/read/range.ts";
import type { RangeSink } from "../grader/read/range-sink.ts";
import type { Series } from "../grader/read/series.ts";
import type { RangeSummary } from "../grader/read/tally.ts";
import { paintFor } from "../grader/report/paint.ts";
import { asText, plural } from "../grader/report/text.ts";
import { waymarkError } from "../proxy/record/fault.ts";
import { type JsonObject, stringifyJson } from "../proxy/record/json.ts";
import { didYouMean } from "../proxy/record/near.ts";
import { eventLine } from "./events-show.ts";
import { eventCounter, statsText } from "./events-stats.ts";
import { type Asked, askedBy } from "./events-where.ts";
import { wholeNumber } from "./quantities.ts";
import { stopSignal } from "./signals.ts";
import type { Terminal } from "./terminal.ts";
import type { Arguments, Verb } from "./verb.ts";

const ACTIONS = ["tail", "query", "stats"] as const;
const DEFAULT_LOG = "logs/telemetry";
const LINE_BYTES = 16 * 1024 * 1024;
const NOTHING = 4;

export const events: Verb = {
  name: "events",
  usage: "events tail|query|stats [LOG..]",
  describe:
    "Looks into a capture: `tail` shows the last events and goes on as they come, `query` all that fit, `stats` counts them. With --json, tail and query print one event per line (NDJSON), stats one document.",
  options: {
    where: {
      kind: "list",
      value: "TEST",
      describe: "only events like this: data.tab=calendar, data.n|gte=3, data.tab!=chat, data.error",
    },
    "where-file": { kind: "text", value: "FILE", describe: "field tests in YAML, as under `where:` of a marker" },
    name: { kind: "list", value: "NAME", describe: "only events of this name; * is any text" },
    session: { kind: "text", value: "ID", describe: "only events of this session" },
    since: { kind: "text", value: "TIME", describe: "only what arrived since: 10m, or an ISO 8601 time" },
    all: { kind: "flag", describe: "the whole series, not only its newest capture" },
    last: {
      kind: "text",
      alias: "n",
      value: "N",
      describe: "tail: events shown first; query: at most N",
      defaultText: "10; no limit",
    },
    follow: { kind: "flag", alias: "f", describe: "tail: wait for more (--no-follow ends at once)", defaultText: "on" },
  },
  examples: [
    ["waymark events tail --name 'chat_*'", "watch what the app sends"],
    ["waymark events query --where data.tab=calendar --json", "as NDJSON, for other tools"],
    ["waymark events stats logs/telemetry", "how much of what came from where"],
  ],
  async run(args, terminal) {
    const [word = "", ...logs] = args.positionals;
    const action = ACTIONS.find((known) => known === word);
    if (action === undefined) {
      throw waymarkError("WM_USAGE", `waymark events has no "${word}"${didYouMean(word, ACTIONS)}`, {
        fix: "Use it as `waymark events tail|query|stats [LOG..]`.",
      });
    }
    const order: Order = { args, terminal, asked: askedBy(args), rule: await ruleOf(args) };
    const series = await seriesOf(logs.length > 0 ? logs : [DEFAULT_LOG]);
    if (action === "stats") return stats(series, order);
    return action === "query" ? query(series, order) : tail(series, order);
  },
};

interface Order {
  readonly args: Arguments;
  readonly terminal: Terminal;
  readonly asked: Asked;
  readonly rule: RangeRule | undefined;
}

async function ruleOf(args: Arguments): Promise<RangeRule | undefined> {
  const since = args.text("since");
  if (since === undefined) return args.flag("all") ? { kind: "all" } : undefined;
  const { parseSince } = await import("../grader/read/range.ts");
  return { kind: "since", sinceMs: parseSince(since, Date.now()) };
}

async function seriesOf(names: readonly string[]): Promise<readonly Series[]> {
  const { findLogs } = await import("../grader/read/series.ts");
  const { series, missing } = await findLogs(names);
  const [lost] = missing;
  if (lost !== undefined) throw waymarkError("WM_LOG_NOT_FOUND", `"${lost.name}": ${lost.why}`);
  return series;
}

interface Reading {
  /** Told of the events that were asked for; without it no event is looked at. */
  readonly onEvent?: RangeSink["event"];
  readonly onRestart?: () => void;
  readonly stop?: AbortSignal;
  readonly isEnough?: () => boolean;
}

async function read(
  series: Series,
  order: Order,
  { onEvent, onRestart, stop, isEnough }: Reading,
): Promise<RangeSummary> {
  const { readSeries } = await import("../grader/read/read.ts");
  const { NO_EVENT } = await import("../grader/match/wanted.ts");
  const { asked } = order;
  const rule = order.rule ?? { kind: series.isNamedFile ? "from file" : "newest" };
  return readSeries(series, {
    rule,
    lineBytes: LINE_BYTES,
    sink: {
      restart: () => onRestart?.(),
      event: (event, place) => {
        if (asked.fits(event)) onEvent?.(event, place);
      },
      selection: onEvent === undefined ? NO_EVENT : asked.selection,
      tick: () => undefined,
      gap: () => undefined,
    },
    ...(stop === undefined ? {} : { follow: { signal: stop, isDecided: isEnough ?? (() => false) } }),
  });
}

/** Shows one event; `--json` writes it as it stands in the log. */
function shower({ args, terminal }: Order): RangeSink["event"] {
  const paint = paintFor(terminal.colour);
  if (args.flag("json")) return (event) => terminal.out(`${stringifyJson(event)}\n`);
  return (event, place) => terminal.out(`${eventLine(event, place, paint)}\n`);
}

async function query(all: readonly Series[], order: Order): Promise<number> {
  const most = limitOf(order.args, Number.POSITIVE_INFINITY);
  const show = shower(order);
  let found = 0;
  for (const series of all) {
    // what stands before a later `start` line is outside the range, so the range has to be known before anything is shown
    const restarts = await restartsIn(series, order);
    let begun = 0;
    await read(series, order, {
      onEvent: (event, place) => {
        if (begun >= restarts && found++ < most) show(event, place);
      },
      onRestart: () => {
        begun++;
      },
    });
  }
  if (found === 0 && !order.args.flag("quiet")) order.terminal.err("no event fits\n");
  if (found > most && !order.args.flag("quiet")) order.terminal.err(`${plural(found - most, "event")} more\n`);
  return found === 0 ? NOTHING : 0;
}

/** How often a newer capture begins in what would be read; a stream can be read only once. */
async function restartsIn(series: Series, order: Order): Promise<number> {
  if (series.kind === "stream" || series.isNamedFile || order.rule !== undefined) return 0;
  let restarts = 0;
  await read(series, order, {
    onRestart: () => {
      restarts++;
    },
  });
  return restarts;
}

async function stats(all: readonly Series[], order: Order): Promise<number> {
  const rows = [];
  for (const series of all) {
    let counter = eventCounter();
    const summary = await read(series, order, {
      onEvent: (event: JsonObject) => counter.add(event),
      onRestart: () => {
        counter = eventCounter();
      },
    });
    rows.push({ series, counted: counter.stats(), summary });
  }
  if (order.args.flag("json")) {
    const logs = rows.map(({ series, counted, summary: { range, undecoded, linesBad, cut } }) => ({
      log: series.label,
      range,
      ...counted,
      undecoded,
      lines_bad: linesBad,
      ...(cut === undefined ? {} : { cut }),
    }));
    order.terminal.out(`${JSON.stringify({ schema: "waymark.events/1", logs })}\n`);
  } else
    order.terminal.out(
      rows.map(({ series, counted, summary }) => statsText(series.label, counted, summary)).join("\n"),
    );
  return 0;
}

/** The last events of each series, then what comes, until it is stopped. Files that rotation adds are followed. */
async function tail(all: readonly Series[], order: Order): Promise<number> {
  const isFollowing = order.args.flag("follow") !== false;
  const most = limitOf(order.args, 10);
  const stopping = isFollowing ? stopSignal() : undefined;
  const show = shower(order);
  await Promise.all(
    all.map((series) =>
      tailOne(series, order, { most, show, ...(stopping === undefined ? {} : { stop: stopping.signal }) }),
    ),
  );
  return stopping === undefined ? 0 : (stopping.exitCode() ?? 0);
}

interface Tailing {
  readonly most: number;
  readonly show: RangeSink["event"];
  readonly stop?: AbortSignal;
}

async function tailOne(series: Series, order: Order, { most, show, stop }: Tailing): Promise<void> {
  let held: Parameters<RangeSink["event"]>[] | undefined = [];
  const flush = (): void => {
    for (const [event, place] of held ?? []) show(event, place);
    held = undefined;
  };
  await read(series, order, {
    onEvent: (event, place) => {
      if (held === undefined) {
        show(event, place);
        return;
      }
      held.push([event, place]);
      if (held.length > most) held.shift();
    },
    onRestart: () => {
      if (held !== undefined) held = [];
      else if (!order.args.flag("quiet")) order.terminal.err(`a new capture begins in ${asText(series.label)}\n`);
    },
    ...(stop === undefined ? {} : { stop }),
    // asked after each reading: the first one has shown what there is so far
    isEnough: () => {
      flush();
      return false;
    },
  });
  flush();
}

function limitOf(args: Arguments, fallback: number): number {
  const text = args.text("last");
  return text === undefined ? fallback : wholeNumber("last", text, { min: 1, max: 1_000_000 });
}
