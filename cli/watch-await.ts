import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { followChanges } from "../grader/read/follow.ts";
import { asText } from "../grader/report/text.ts";
import { standsOf } from "../grader/trials/live-stand.ts";
import type { WatchShow } from "./watch-show.ts";

/**
 * Waits until a capture is under way in a log, so that an old one is not taken for what happens now. A file that is
 * named is taken as it is. Resolves to false when the signal came first.
 */
export async function awaitCapture(log: string, show: WatchShow, signal: AbortSignal): Promise<boolean> {
  if (log === "-" || (existsSync(log) && !isFolder(log))) return true;
  let isThere = false;
  let said = "";
  await followChanges(isFolder(log) ? log : folderAbove(log), { signal, isDecided: () => isThere }, async () => {
    const stands = await standsOf(log);
    isThere = stands.some(({ has_stopped }) => !has_stopped);
    const why = stands.length === 0 ? "" : " (the newest there is over; `waymark grade` grades it)";
    const words = `waiting for a capture in ${asText(log)}${why}`;
    if (!isThere && words !== said) show.clear(words);
    said = words;
  });
  return isThere;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function folderAbove(path: string): string {
  const above = dirname(path);
  return isFolder(above) || above === path ? above : folderAbove(above);
}
