import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { waymarkError } from "../../proxy/record/fault.ts";
import { isObject, type JsonObject, type JsonValue, parseJson, stringifyJson } from "../../proxy/record/json.ts";
import { readStand, type SeriesStand } from "./live-stand.ts";
import type { Trial } from "./trial.ts";

/** What `runs stop` needs to know of `runs start`; `live.json` in the run's folder. */
export interface LiveNotes {
  readonly schema: "waymark.live/1";
  /** The log as the user named it, and its absolute path. */
  readonly log: string;
  readonly series: readonly SeriesStand[];
  readonly scenarios: readonly string[];
  readonly markers: string;
  readonly params: JsonObject;
  readonly self_report?: string;
  readonly steps?: string;
}

/** Writes the notes into the run's folder. */
export function writeNotes(folder: string, notes: LiveNotes): void {
  writeFileSync(notesFile(folder), `${stringifyJson(notes as unknown as JsonValue)}\n`);
}

/** What `runs start` wrote down. Throws `WM_USAGE` for a run that was not started so, or has ended. */
export function liveNotes({ manifest, folder = "" }: Trial): LiveNotes {
  const notes = readLiveNotes(folder);
  if (manifest.state === "running" && notes !== undefined) return notes;
  const why = notes === undefined ? "was not begun by `waymark runs start`" : `is ${manifest.state}, not running`;
  throw waymarkError("WM_USAGE", `run ${manifest.id} ${why}`, { fix: "`waymark runs list` shows what is running." });
}

/** The same for any run; undefined for one that was begun otherwise. */
export function readLiveNotes(folder: string): LiveNotes | undefined {
  try {
    const notes = parseJson(readFileSync(notesFile(folder), "utf8"));
    if (!isObject(notes) || notes["schema"] !== "waymark.live/1" || !Array.isArray(notes["series"])) return undefined;
    return notes["series"].every((stand) => readStand(stand) !== undefined)
      ? (notes as unknown as LiveNotes)
      : undefined;
  } catch {
    return undefined; // no such file: the run was begun otherwise
  }
}

function notesFile(folder: string): string {
  return join(folder, "live.json");
}
