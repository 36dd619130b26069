import { access, constants, unlink } from "node:fs/promises";
import { join } from "node:path";
import { WaymarkError, waymarkError } from "../record/fault.ts";
import { makeFolder } from "../record/folder.ts";
import { isSeriesName, segmentFile } from "../record/series.ts";
import { lockSeries, type SeriesLock } from "./lock.ts";
import { repairTail } from "./repair.ts";
import { type RetentionLimits, surplusFiles } from "./rotation.ts";
import { Segment } from "./segment.ts";
import { errnoOf, listSeries } from "./series-files.ts";
import { nextSeqOf } from "./tail.ts";
import type { SeriesOptions } from "./writer.ts";

/** A series made ready for a new capture. */
export interface PreparedSeries {
  readonly nextSeq: number;
  readonly nextIndex: number;
}

/**
 * Takes a series for this process: makes its folder and locks it. Throws `WM_USAGE` for a name no file can have,
 * `WM_PROXY_OUT_TAKEN` or `WM_PROXY_OUT_UNWRITABLE`.
 */
export async function takeSeries(dir: string, name: string): Promise<SeriesLock> {
  if (!isSeriesName(name)) {
    const fix = 'Take a name without a path and without any of : * ? " < > |, of at most 200 bytes.';
    throw waymarkError("WM_USAGE", `"${name}" cannot be the name of a log series`, { fix });
  }
  return unwritable(dir, async () => {
    makeFolder(dir);
    await access(dir, constants.W_OK);
    return lockSeries(dir, name);
  });
}

/**
 * Repairs the newest file of a taken series if its writer was killed, and finds the numbers to go on with. Throws
 * `WM_PROXY_OUT_UNWRITABLE`.
 */
export async function prepareSeries(dir: string, name: string, at: number): Promise<PreparedSeries> {
  return unwritable(dir, async () => {
    const listed = await listSeries(dir, name);
    const files = listed.filter(({ isFile }) => isFile);
    const newest = files.at(-1);
    if (newest !== undefined) await repairTail(newest.path, at);
    return { nextSeq: await nextSeq(files), nextIndex: (listed.at(-1)?.index ?? -1) + 1 };
  });
}

/** Opens the next file of a series, at `index` or, where something else has its name, at one after it. */
export async function openNext(
  { dir, name, mayBlock = false }: Pick<SeriesOptions, "dir" | "name" | "mayBlock">,
  index: number,
  at: number,
): Promise<Segment> {
  for (let next = index; ; next++) {
    try {
      const path = join(dir, segmentFile(name, next));
      return await Segment.create({ path, index: next, openedAt: at, mayBlock });
    } catch (cause) {
      if (errnoOf(cause) !== "EEXIST" || next - index > 1000) throw cause;
    }
  }
}

/** Deletes what retention gives up. A file that cannot be deleted now (a reader holds it, on Windows) goes the next time. */
export async function applyRetention(dir: string, name: string, limits: RetentionLimits): Promise<number> {
  if (limits.keepFiles === undefined && limits.keepBytes === undefined) return 0;
  const files = (await listSeries(dir, name)).filter(({ isFile }) => isFile);
  const paths = new Map(files.map(({ index, path }) => [index, path]));
  const deletions = surplusFiles(files, limits).map(async ({ index }) => {
    await unlink(paths.get(index) ?? "");
  });
  const settled = await Promise.allSettled(deletions);
  return settled.filter(({ status }) => status === "fulfilled").length;
}

/** Runs a step of opening; a failure of the file system becomes `WM_PROXY_OUT_UNWRITABLE`. */
export async function unwritable<T>(dir: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (cause) {
    if (cause instanceof WaymarkError || errnoOf(cause) === "") throw cause;
    const message = cause instanceof Error ? cause.message : String(cause);
    throw waymarkError("WM_PROXY_OUT_UNWRITABLE", `${dir}: ${message}`, { cause });
  }
}

async function nextSeq(files: readonly { readonly path: string }[]): Promise<number> {
  for (const { path } of [...files].reverse()) {
    const next = await nextSeqOf(path);
    if (next !== undefined) return next;
  }
  return 1;
}
