import { readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { placesIn } from "../../trials/folder.ts";
import { readLiveNotes } from "../../trials/live-notes.ts";
import type { Trial } from "../../trials/trial.ts";
import { readOrder } from "../runs/order.ts";

/**
 * A run whose command died with its machine stays "running". When nothing of it was written for so long, in milliseconds,
 * it is no longer shown as under way; the first line of its log brings it back.
 */
export const QUIET_MS = 30 * 60_000;

/** True for a run that has no grade yet and of which something was written lately: its log, its output, its notes. */
export function isUnderWay({ manifest, folder = "" }: Trial, nowMs: number): boolean {
  if (manifest.state !== "running" && manifest.state !== "ended") return false;
  const begun = Date.parse(manifest.started_at);
  if (nowMs - begun < QUIET_MS) return true;
  return nowMs - Math.max(begun, writtenLast(folder)) < QUIET_MS;
}

/** When a run's folder, or the foreign log it is graded by, was written last; 0 when there is neither. */
function writtenLast(folder: string): number {
  if (folder === "") return 0;
  const log = readLiveNotes(folder)?.log ?? readOrder(folder)?.marks?.log;
  const places = [folder, placesIn(folder).telemetry, ...(log === undefined ? [] : [log, dirname(log)])];
  return Math.max(0, ...places.flatMap(timesIn));
}

/** The times of a file, or of a folder and the files in it; none of what cannot be looked at. */
function timesIn(place: string): readonly number[] {
  try {
    const info = statSync(place);
    const names = info.isDirectory() ? readdirSync(place) : [];
    return [info.mtimeMs, ...names.map((name) => statSync(join(place, name), { throwIfNoEntry: false })?.mtimeMs ?? 0)];
  } catch {
    return [];
  }
}
