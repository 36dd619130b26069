import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { extname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { TrialArtifact } from "../trial.ts";

/** The artifact with the hash of its file, or without one when the file cannot be read. Never rejects. */
export async function artifactOf(folder: string, artifact: TrialArtifact): Promise<TrialArtifact> {
  const sha256 = await sha256OfFile(join(folder, artifact.path)).catch(() => undefined); // its absence says so
  return sha256 === undefined ? artifact : { ...artifact, sha256 };
}

/** SHA-256 of a file of any size, in hexadecimal. Rejects with the system's error. */
export async function sha256OfFile(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}

const KINDS: Readonly<Record<string, readonly string[]>> = {
  video: [".webm", ".mp4", ".mkv", ".mov", ".avi", ".m4v"],
  screenshot: [".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp"],
  log: [".log", ".txt", ".ndjson", ".jsonl", ".json", ".har", ".html", ".xml", ".zip", ".trace"],
};

/** What a file is, by the end of its name: `video`, `screenshot`, `log`, else `file`. */
export function kindOfFile(file: string): string {
  const extension = extname(file).toLowerCase();
  return Object.entries(KINDS).find(([, extensions]) => extensions.includes(extension))?.[0] ?? "file";
}
