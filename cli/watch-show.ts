import type { SeriesStanding } from "../grader/live-series.ts";
import { type Paint, paintFor } from "../grader/report/paint.ts";
import { paintLine } from "../grader/watch/line.ts";
import { type News, NewsReel, newsLine } from "../grader/watch/news.ts";
import { screenLines, type WatchView } from "../grader/watch/screen.ts";
import { standingKey } from "../grader/watch/standing-key.ts";
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
  return new ScreenShow(display, options);
}

class ScreenShow implements WatchShow {
  readonly #display: Display;
  readonly #options: ScreenOptions;
  readonly #paint: Paint;
  readonly #standings = new Map<string, () => SeriesStanding>();
  readonly #stopListening: () => void;
  readonly #clock: NodeJS.Timeout;
  readonly #leaveAtExit = (): void => this.close();
  #waitingFor: string | undefined;
  #notice: { readonly text: string; readonly untilMs: number } | undefined;
  #explains = false;
  #paintedAt = Number.NEGATIVE_INFINITY;
  #soon: NodeJS.Timeout | undefined;
  #isOpen = true;

  constructor(display: Display, options: ScreenOptions) {
    this.#display = display;
    this.#options = options;
    this.#paint = paintFor(options.colour);
    this.#stopListening = display.onResize(() => this.#draw());
    this.#clock = setInterval(() => this.#draw(), REPAINT_MS);
    process.on("exit", this.#leaveAtExit);
    display.write(ENTER);
  }

  read(standing: () => SeriesStanding): void {
    this.#waitingFor = undefined;
    this.#standings.set(standingKey(standing()), standing);
    if (this.#soon !== undefined) return;
    const restMs = LEAST_MS - (performance.now() - this.#paintedAt);
    if (restMs <= 0) this.#draw();
    else this.#soon = setTimeout(() => this.#draw(), restMs);
  }

  clear(why?: string): void {
    this.#standings.clear();
    this.#waitingFor = why;
    this.#draw();
  }

  note(text: string): void {
    this.#notice = { text, untilMs: this.#options.now() + NOTICE_MS };
    this.#draw();
  }

  toggleExplain(): void {
    this.#explains = !this.#explains;
    this.#draw();
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#draw(); // what came last was seen, too
    this.#isOpen = false;
    clearTimeout(this.#soon);
    clearInterval(this.#clock);
    this.#stopListening();
    process.off("exit", this.#leaveAtExit);
    this.#display.write(LEAVE);
  }

  #draw(): void {
    clearTimeout(this.#soon);
    this.#soon = undefined;
    if (!this.#isOpen) return;
    this.#paintedAt = performance.now();
    const lines = screenLines(this.#view(), this.#display.size());
    const text = lines.map((one) => `${paintLine(one, this.#paint)}${TO_LINE_END}`).join("\r\n");
    this.#display.write(`${HOME}${text}${TO_SCREEN_END}`);
  }

  #view(): WatchView {
    const { log, keys, now } = this.#options;
    const nowMs = now();
    if (this.#notice !== undefined && nowMs > this.#notice.untilMs) this.#notice = undefined;
    return {
      log,
      series: [...this.#standings.values()].map((standing) => standing()),
      nowMs,
      explain: this.#explains,
      keys,
      ...(this.#waitingFor === undefined ? {} : { waitingFor: this.#waitingFor }),
      ...(this.#notice === undefined ? {} : { notice: this.#notice.text }),
    };
  }
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
    note: (text) => first.note(text),
    toggleExplain: () => first.toggleExplain(),
    close: () => {
      first.close();
      second.close();
    },
  };
}
