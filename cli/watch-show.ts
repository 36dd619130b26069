import type { SeriesStanding } from "../grader/live-series.ts";
import { paintFor } from "../grader/report/paint.ts";
import { paintLine } from "../grader/watch/line.ts";
import { type News, NewsReel, newsLine } from "../grader/watch/news.ts";
import { screenLines } from "../grader/watch/screen.ts";
import type { Display } from "./display.ts";

/** Shows how logs stand that are watched. */
export interface WatchShow {
  /** A series was read on; `standing` says how it stands. */
  read(standing: () => SeriesStanding): void;
  /** Nothing of before counts any more; `why` says what is waited for, when nothing is there yet. */
  clear(why?: string): void;
  /** A short word on what was just done. */
  note(text: string): void;
  toggleExplain(): void;
  /** Leaves the terminal as it was. */
  close(): void;
}

export interface ScreenOptions {
  readonly log: string;
  readonly colour: boolean;
  readonly keys: readonly string[];
  readonly now: () => number;
}

const ENTER = "\u001b[?1049h\u001b[?25l\u001b[2J";
const LEAVE = "\u001b[?25h\u001b[?1049l";
const HOME = "\u001b[H";
const TO_LINE_END = "\u001b[K";
const TO_SCREEN_END = "\u001b[J";
/** Clocks on the screen go on without news. */
const REPAINT_MS = 200;
/** Shortest time between two paintings; the first news after a pause is painted at once. */
const LEAST_MS = 20;
const NOTICE_MS = 10_000;

/** A screen that is painted anew, on the terminal's second screen, so that what stood there comes back in the end. */
export function screenShow(display: Display, options: ScreenOptions): WatchShow {
  const { log, keys, now } = options;
  const paint = paintFor(options.colour);
  const standings = new Map<string, () => SeriesStanding>();
  let waitingFor: string | undefined;
  let notice: { readonly text: string; readonly until: number } | undefined;
  let explain = false;
  let paintedAt = Number.NEGATIVE_INFINITY;
  let soon: NodeJS.Timeout | undefined;
  let isOpen = true;
  const draw = (): void => {
    clearTimeout(soon);
    soon = undefined;
    if (!isOpen) return;
    paintedAt = performance.now();
    if (notice !== undefined && now() > notice.until) notice = undefined;
    const view = {
      log,
      series: [...standings.values()].map((standing) => standing()),
      nowMs: now(),
      explain,
      keys,
      ...(waitingFor === undefined ? {} : { waitingFor }),
      ...(notice === undefined ? {} : { notice: notice.text }),
    };
    const lines = screenLines(view, display.size()).map((one) => `${paintLine(one, paint)}${TO_LINE_END}`);
    display.write(`${HOME}${lines.join("\r\n")}${TO_SCREEN_END}`);
  };
  const drawSoon = (): void => {
    if (soon !== undefined) return;
    const rest = LEAST_MS - (performance.now() - paintedAt);
    if (rest <= 0) draw();
    else soon = setTimeout(draw, rest);
  };
  const close = (): void => {
    if (!isOpen) return;
    draw(); // what came last was seen, too
    isOpen = false;
    clearTimeout(soon);
    clearInterval(clock);
    stopListening();
    process.off("exit", close);
    display.write(LEAVE);
  };
  const stopListening = display.onResize(draw);
  const clock = setInterval(draw, REPAINT_MS);
  process.on("exit", close);
  display.write(ENTER);
  return {
    read: (standing) => {
      waitingFor = undefined;
      standings.set(standing().log, standing);
      drawSoon();
    },
    clear: (why) => {
      standings.clear();
      waitingFor = why;
      draw();
    },
    note: (text) => {
      notice = { text, until: now() + NOTICE_MS };
      draw();
    },
    toggleExplain: () => {
      explain = !explain;
      draw();
    },
    close,
  };
}

export interface LineOptions {
  /** Where lines go; absent: nowhere. */
  readonly write?: (text: string) => void;
  /** Told as things happen, once each. */
  readonly onNews?: (news: News) => void;
  readonly now: () => number;
}

/** A line for each thing that happens, for pipes, files and terminals that cannot be repainted. */
export function lineShow({ write, onNews, now }: LineOptions): WatchShow {
  let reel = new NewsReel();
  const say = (text: string): void => write?.(`${new Date(now()).toISOString().slice(11, 23)}  ${text}\n`);
  return {
    read: (standing) => {
      for (const news of reel.take(standing())) {
        onNews?.(news);
        const text = newsLine(news);
        if (text !== undefined) say(text);
      }
    },
    clear: (why) => {
      reel = new NewsReel();
      if (why !== undefined) say(why);
    },
    note: say,
    toggleExplain: () => undefined,
    close: () => undefined,
  };
}

/** Several shows of the same thing. */
export function bothShows(first: WatchShow, second: WatchShow): WatchShow {
  return {
    read: (standing) => {
      first.read(standing);
      second.read(standing);
    },
    clear: (why) => {
      first.clear(why);
      second.clear(why);
    },
    note: first.note,
    toggleExplain: first.toggleExplain,
    close: () => {
      first.close();
      second.close();
    },
  };
}
