import type { JsonObject } from "../../../proxy/record/json.ts";
import type { RecordingBudget, RecordingLimits } from "./budget.ts";
import type { Devtools, DevtoolsEvent } from "./devtools.ts";
import { type FrameFolder, frameFolder } from "./frames.ts";

/** A picture of a page and when it was taken, in milliseconds since 1970. */
export interface Screenshot {
  readonly jpeg: Buffer;
  readonly atMs: number;
  /** Number of the page, from 1. */
  readonly page: number;
}

export interface PagesOptions {
  readonly limits: RecordingLimits;
  readonly budget: RecordingBudget;
  /** Folder of the frames of the n-th page. */
  readonly folderFor: (page: number) => string;
  readonly onScreenshot: (screenshot: Screenshot) => void;
  readonly now: () => number;
}

/** The pages of a run's browsers, each followed from its beginning to its end. */
export interface Pages {
  take(devtools: Devtools, event: DevtoolsEvent): void;
  /** A last picture of each page that is still open. */
  photograph(): Promise<void>;
  readonly frames: readonly FrameFolder[];
}

interface Page {
  readonly devtools: Devtools;
  readonly number: number;
  readonly frames: FrameFolder;
}

/** Sides of a frame are kept below these; a page of more is scaled by the browser. */
const CAST: JsonObject = { format: "jpeg", quality: 60, maxWidth: 1280, maxHeight: 960, everyNthFrame: 1 };
const PICTURE: JsonObject = { format: "jpeg", quality: 70 };

/** What a browser is told once, so that it hands over each page, now and later, without holding any back. */
export const FOLLOW_PAGES: JsonObject = {
  autoAttach: true,
  waitForDebuggerOnStart: false,
  flatten: true,
  filter: [{ type: "page" }],
};

/**
 * Follows pages: frames by `Page.startScreencast`, each acknowledged only when the next one is due (the browser sends
 * none before, and then the newest, so that the last state of a page is never the one left out), and a screenshot when a
 * page has loaded.
 */
export function followPages({ limits, budget, folderFor, onScreenshot, now }: PagesOptions): Pages {
  const open = new Map<string, Page>();
  const frames: FrameFolder[] = [];
  const paceMs = 1000 / limits.maxFramesPerSecond;

  async function photograph(session: string, page: Page): Promise<void> {
    const atMs = now();
    const data = (await page.devtools.send("Page.captureScreenshot", PICTURE, session))?.["data"];
    if (typeof data !== "string") return;
    const jpeg = Buffer.from(data, "base64");
    if (budget.takeScreenshot(jpeg.length)) onScreenshot({ jpeg, atMs, page: page.number });
  }

  async function begin(devtools: Devtools, session: string): Promise<void> {
    const page = { devtools, number: frames.length + 1, frames: frameFolder(folderFor(frames.length + 1)) };
    open.set(session, page);
    frames.push(page.frames);
    await devtools.send("Page.enable", {}, session);
    await devtools.send("Page.startScreencast", CAST, session);
  }

  function frame(devtools: Devtools, session: string, { data, metadata, sessionId }: JsonObject): void {
    const page = open.get(session);
    if (page === undefined || typeof data !== "string") return;
    const jpeg = Buffer.from(data, "base64");
    if (!budget.takeFrame(jpeg.length)) {
      void devtools.send("Page.stopScreencast", {}, session);
      return;
    }
    page.frames.add(jpeg, shownAt(metadata, now));
    const acknowledge = (): void =>
      void devtools.send("Page.screencastFrameAck", { sessionId: sessionId ?? 0 }, session);
    setTimeout(acknowledge, paceMs).unref();
  }

  return {
    frames,
    take(devtools, { method, params, session }) {
      const child = params["sessionId"];
      if (method === "Target.attachedToTarget" && typeof child === "string") void begin(devtools, child);
      if (method === "Target.detachedFromTarget" && typeof child === "string") open.delete(child);
      if (session === undefined) return;
      if (method === "Page.screencastFrame") frame(devtools, session, params);
      const page = open.get(session);
      if (method === "Page.loadEventFired" && page !== undefined) void photograph(session, page);
    },
    async photograph() {
      await Promise.all([...open].map(([session, page]) => photograph(session, page)));
    },
  };
}

/** `metadata.timestamp` is the time the frame was swapped in, in seconds since 1970; not every page has one. */
function shownAt(metadata: JsonObject[string] | undefined, now: () => number): number {
  const seconds = (metadata as JsonObject | undefined)?.["timestamp"];
  return typeof seconds === "number" && seconds > 0 ? seconds * 1000 : now();
}
