import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { parseSegmentFile } from "../record/series.ts";

export interface SeriesFile {
  readonly index: number;
  readonly path: string;
  readonly bytes: number;
  /** False for a folder or the like that only has the name of a file of the series. */
  readonly isFile: boolean;
}

/** What has a name of the series in a folder, oldest first; nothing when there is no such folder. */
export async function listSeries(dir: string, name: string): Promise<SeriesFile[]> {
  const found = (await namesIn(dir)).flatMap((file) => {
    const segment = parseSegmentFile(file);
    return segment?.name === name ? [{ index: segment.index, path: join(dir, file) }] : [];
  });
  const listed = await Promise.all(
    found.map(async ({ index, path }): Promise<SeriesFile[]> => {
      const info = await stat(path).catch(ignoreMissing);
      return info === undefined ? [] : [{ index, path, bytes: info.size, isFile: info.isFile() }];
    }),
  );
  return listed.flat().sort((a, b) => a.index - b.index);
}

async function namesIn(dir: string): Promise<string[]> {
  return (await readdir(dir).catch(ignoreMissing)) ?? [];
}

/** Turns "it is not there" into undefined; everything else stays an error. */
export function ignoreMissing(cause: unknown): undefined {
  if (errnoOf(cause) === "ENOENT") return undefined;
  throw cause;
}

/** The system's code of an error, such as `ENOSPC`; "" when it has none. */
export function errnoOf(cause: unknown): string {
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined;
  return typeof code === "string" ? code : "";
}
