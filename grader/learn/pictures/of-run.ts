import { readdirSync, statSync } from "node:fs";
import { basename, dirname, extname, join, relative, sep } from "node:path";
import { isObject, type JsonObject, type JsonValue } from "../../../proxy/record/json.ts";
import { kindOfFile } from "../../trials/evidence/artifact.ts";
import type { Picture } from "./compare.ts";
import type { PictureReader } from "./read.ts";

/** A screenshot of a run, with the time it was taken where that is known. */
export interface Shot {
  readonly file: string;
  readonly atMs?: number;
}

/** The screenshots that a run's manifest names. */
export function shotsOfManifest(folder: string, manifest: JsonObject): readonly Shot[] {
  const artifacts = Array.isArray(manifest["artifacts"]) ? (manifest["artifacts"] as readonly JsonValue[]) : [];
  return artifacts.flatMap((artifact): readonly Shot[] => {
    if (!isObject(artifact) || artifact["kind"] !== "screenshot" || typeof artifact["path"] !== "string") return [];
    const at = typeof artifact["at"] === "string" ? Date.parse(artifact["at"]) : Number.NaN;
    const file = join(folder, artifact["path"]);
    if (relative(folder, file).startsWith("..")) return [];
    return [Number.isNaN(at) ? { file } : { file, atMs: at }];
  });
}

const MOST_FILES = 2000;

/** The pictures beside a log and in the folders there, which its events may name. */
export function shotsBeside(log: string): readonly Shot[] {
  const folder = statSync(log, { throwIfNoEntry: false })?.isDirectory() === true ? log : dirname(log);
  const list = (path: string): readonly string[] => {
    try {
      return readdirSync(path);
    } catch {
      return []; // a file, or a folder that may not be read: no pictures of ours
    }
  };
  const near = list(folder).slice(0, MOST_FILES);
  const below = near
    .filter((name) => extname(name) === "")
    .flatMap((name) => list(join(folder, name)).map((inner) => join(name, inner)))
    .slice(0, MOST_FILES);
  return [...near, ...below]
    .filter((name) => kindOfFile(name) === "screenshot")
    .map((name) => ({ file: join(folder, name) }));
}

/** Finds out which event of a run each of its screenshots belongs to. */
export class ShotBook {
  readonly #shots: readonly Shot[];
  readonly #named = new Map<string, Shot>();
  readonly #chosen = new Map<number, Shot>();
  readonly #times: number[] = [];

  constructor(shots: readonly Shot[]) {
    this.#shots = shots;
    for (const shot of shots) {
      const parts = shot.file.split(sep);
      for (let from = 1; from <= 3; from++) this.#named.set(parts.slice(-from).join("/"), shot);
    }
  }

  /** Takes the next event: a picture whose file it names is its own. */
  event(event: JsonObject, atMs: number): void {
    if (this.#shots.length === 0) return;
    const shot = this.#find(event, 0);
    if (shot !== undefined) this.#chosen.set(this.#times.length, shot);
    this.#times.push(atMs);
  }

  /** By place of the event: what it names, else the last picture taken between it and the next event. */
  async read(reader: PictureReader): Promise<ReadonlyMap<number, Picture>> {
    const named = new Set(this.#chosen.values());
    for (const shot of [...this.#shots].sort((a, b) => (a.atMs ?? 0) - (b.atMs ?? 0))) {
      if (shot.atMs === undefined || named.has(shot)) continue;
      const at = lastUpTo(this.#times, shot.atMs);
      if (at >= 0 && !named.has(this.#chosen.get(at) ?? shot)) this.#chosen.set(at, shot);
    }
    const pictures = new Map<number, Picture>();
    for (const [at, { file }] of [...this.#chosen].sort(([a], [b]) => a - b)) {
      const picture = await reader.read(file);
      if (picture !== undefined) pictures.set(at, picture);
    }
    return pictures;
  }

  #find(value: JsonValue, depth: number): Shot | undefined {
    if (typeof value === "string") {
      if (value.length > 1000 || kindOfFile(value) !== "screenshot") return undefined;
      return this.#named.get(value.replaceAll("\\", "/").replace(/^\.\//, "")) ?? this.#named.get(basename(value));
    }
    if (typeof value !== "object" || value === null || depth > 6) return undefined;
    for (const inner of Object.values(value)) {
      const shot = this.#find(inner as JsonValue, depth + 1);
      if (shot !== undefined) return shot;
    }
    return undefined;
  }
}

/** Place of the last time that is not after the given one; -1 when all are. */
function lastUpTo(times: readonly number[], limit: number): number {
  let found = -1;
  for (const [at, time] of times.entries()) if (time <= limit && time > 0) found = at;
  return found;
}
