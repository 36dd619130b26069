import { WriteStream } from "node:tty";
import type { News } from "../grader/watch/news.ts";
import { displayOn, type Keyboard, keyboardOn } from "./display.ts";
import type { Reporting } from "./reporting.ts";
import { type Terminal, wantsColour } from "./terminal.ts";
import type { Arguments } from "./verb.ts";
import type { RunNames } from "./watch-names.ts";
import { bothShows, lineShow, screenShow, type WatchShow } from "./watch-show.ts";

/** Where a watching is shown, and the keys it listens to. */
export interface WatchStage {
  readonly show: WatchShow;
  readonly hasKeys: boolean;
  onKey(listener: (key: string) => void): void;
  close(): void;
}

export interface StageOrder {
  readonly log: string;
  readonly reporting: Reporting;
  readonly names: RunNames;
}

const KEYS = ["e explain", "s save as good", "r restart", "q quit"];

/**
 * A screen that is repainted, on stdout when it is a terminal that holds nothing else, else on stderr when that is one;
 * else lines: on stdout, or on stderr when stdout holds a document. Reporters hear of markers as they are reached.
 */
export function openStageOfWatch(args: Arguments, terminal: Terminal, order: StageOrder): WatchStage {
  const isTaken = args.flag("json") === true || args.list("reporter").some((list) => !list.includes("="));
  const stream = screenStream(args, terminal, isTaken);
  const keyboard = stream === undefined ? undefined : openKeyboard(order.log);
  const told = lineShow({ onNews: (news) => tell(news, order), now: Date.now });
  const own =
    stream === undefined
      ? lineShow({ ...linesTo(args, terminal, isTaken), now: Date.now })
      : screenShow(displayOn(stream), {
          log: order.log,
          colour: wantsColour(stream, terminal.env),
          keys: keyboard === undefined ? [] : keysFor(args),
          now: Date.now,
        });
  const show = bothShows(own, told);
  let isOpen = true;
  return {
    show,
    hasKeys: keyboard !== undefined,
    onKey: (listener) => keyboard?.onKey(listener),
    close: () => {
      if (!isOpen) return;
      isOpen = false;
      keyboard?.close();
      show.close();
    },
  };
}

function keysFor(args: Arguments): readonly string[] {
  const label = args.text("label");
  return label === undefined ? KEYS : KEYS.map((key) => key.replace("save as good", "save"));
}

function screenStream({ flag }: Arguments, terminal: Terminal, isTaken: boolean): WriteStream | undefined {
  if (terminal.env["TERM"] === "dumb" || flag("quiet") === true) return undefined;
  const { stdout, stderr } = process;
  if (terminal.outIsTerminal && !isTaken && stdout instanceof WriteStream) return stdout;
  return terminal.errIsTerminal && stderr instanceof WriteStream ? stderr : undefined;
}

function openKeyboard(log: string): Keyboard | undefined {
  const { stdin } = process;
  return log !== "-" && stdin.isTTY === true ? keyboardOn(stdin) : undefined;
}

function linesTo(args: Arguments, terminal: Terminal, isTaken: boolean): { readonly write?: (text: string) => void } {
  if (args.flag("quiet") === true) return {};
  if (!isTaken) return { write: terminal.out };
  return args.flag("json") === true ? { write: terminal.err } : {};
}

/** Reporters are told of a run when its first event comes, and of each marker when it is reached. */
function tell(news: News, { reporting, names }: StageOrder): void {
  if (news.kind === "capture" && news.isNewer) names.forget(news.log, news.scenarios);
  if (news.kind === "begin") {
    const { about, startedAtMs } = news;
    const started = startedAtMs === undefined ? {} : { started_at: new Date(startedAtMs).toISOString() };
    reporting.watchStart({ run: names.idFor(about), scenario: about.scenario, ...started });
  }
  if (news.kind !== "marker") return;
  const { about, marker, position } = news;
  const [first] = marker.evidence;
  reporting.marker({
    trial: names.idFor(about),
    scenario: about.scenario,
    marker: marker.name,
    position,
    ...(first === undefined ? {} : { file: first.file, line: first.line }),
    ...(first?.at === undefined ? {} : { at: first.at }),
  });
}
