import { copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TrialArtifact } from "../trial.ts";
import { artifactOf } from "./artifact.ts";
import { type RecordingLimits, recordingBudget } from "./budget.ts";
import type { DevtoolsPlace } from "./devtools-url.ts";
import { findFfmpeg } from "./ffmpeg.ts";
import { followBrowsers } from "./follow-browsers.ts";
import { FRAME_LIST, type FrameFolder } from "./frames.ts";
import { followPages, type Screenshot } from "./pages.ts";
import { makeVideo } from "./video.ts";

export interface BrowserOrder {
  /** The run's folder. */
  readonly folder: string;
  readonly places: readonly DevtoolsPlace[];
  /** A folder in which profiles of further browsers may appear. */
  readonly profilesFolder?: string;
  readonly limits: RecordingLimits;
  readonly note: (text: string) => void;
}

/** A part of the recording; stopping it gives what it recorded. Never rejects. */
export interface Recording {
  stop(): Promise<readonly TrialArtifact[]>;
}

/**
 * Waits for the DevTools of browsers, follows their pages until they end or `stop` is called, and makes a video of each
 * page. A browser that never listens leaves nothing; one that is started again in the same profile is followed again.
 */
export function recordBrowsers(order: BrowserOrder): Recording {
  const evidence = join(order.folder, "evidence");
  const shots: Promise<TrialArtifact | undefined>[] = [];
  const pages = followPages({
    limits: order.limits,
    budget: recordingBudget(order.limits, order.note),
    folderFor: (page) => join(evidence, `page-${page}`),
    onScreenshot: (shot) => shots.push(keepScreenshot(order.folder, shots.length + 1, shot)),
    now: Date.now,
  });
  const following = followBrowsers(order, pages);
  return {
    async stop() {
      const endMs = Date.now();
      await pages.photograph();
      await following.stop();
      const videos = await Promise.all(
        pages.frames.map((frames, index) => finishPage(order, frames, { index, endMs })),
      );
      return [...videos.flat(), ...(await Promise.all(shots)).filter((shot) => shot !== undefined)];
    },
  };
}

async function keepScreenshot(folder: string, number: number, shot: Screenshot): Promise<TrialArtifact | undefined> {
  const path = `evidence/screenshot-${String(number).padStart(3, "0")}.jpg`;
  try {
    await mkdir(join(folder, "evidence"), { recursive: true });
    await writeFile(join(folder, path), shot.jpeg);
    return await artifactOf(folder, { kind: "screenshot", path, at: new Date(shot.atMs).toISOString() });
  } catch {
    return undefined; // a disk that is full has no room for a picture; the run itself says so
  }
}

/** The page's video where ffmpeg is there and can, else its frames with their list. */
async function finishPage(
  order: BrowserOrder,
  page: FrameFolder,
  { index, endMs }: { readonly index: number; readonly endMs: number },
): Promise<readonly TrialArtifact[]> {
  const { frames, size, lost } = await page.finish();
  if (lost > 0) order.note(`${lost} frames of page ${index + 1} could not be written`);
  const [first] = frames;
  if (first === undefined) return [];
  const at = new Date(first.atMs).toISOString();
  const still = await lastFrame(order.folder, page, { frames, index });
  const ffmpeg = findFfmpeg();
  if (ffmpeg !== undefined) {
    const video = await makeVideo({ ffmpeg, folder: page.folder, frames, size, endMs, target: page.folder });
    if (video.ok) {
      await rm(page.folder, { recursive: true, force: true });
      const path = `evidence/${video.file.slice(join(order.folder, "evidence").length + 1)}`;
      return [await artifactOf(order.folder, { kind: "video", path, at }), ...still];
    }
    order.note(`ffmpeg made no video of page ${index + 1}: ${video.why}`);
  }
  return [
    await artifactOf(order.folder, { kind: "frames", path: `evidence/page-${index + 1}/${FRAME_LIST}`, at }),
    ...still,
  ];
}

/** What the page showed last; a browser that has ended cannot be photographed any more. */
async function lastFrame(
  folder: string,
  page: FrameFolder,
  { frames, index }: { readonly frames: readonly { file: string; atMs: number }[]; readonly index: number },
): Promise<readonly TrialArtifact[]> {
  const last = frames.at(-1);
  if (last === undefined) return [];
  const path = `evidence/page-${index + 1}-end.jpg`;
  try {
    await copyFile(join(page.folder, last.file), join(folder, path));
    return [await artifactOf(folder, { kind: "screenshot", path, at: new Date(last.atMs).toISOString() })];
  } catch {
    return []; // the frames themselves are kept
  }
}
