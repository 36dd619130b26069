import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CHAT, CHAT_OPTIONS, type RunPlace } from "./run-command.ts";

export interface DemoBatch {
  /** Decides which run fails, and where; with 52 it is run 3 of 5. */
  readonly seed?: number;
  readonly runs?: number;
  /** Variants by name, each with a seed of its own. */
  readonly variants?: Readonly<Record<string, number>>;
}

/** Plays the bundled chat app under `waymark run`: real telemetry, real folders, a real database in `.waymark`. */
export async function playDemo(place: RunPlace, { seed = 52, runs = 5, variants }: DemoBatch = {}): Promise<void> {
  const command = (own: number): string => [...CHAT.map((word) => `"${word}"`), "--seed", own].join(" ");
  const sides = Object.entries(variants ?? {}).flatMap(([name, own]) => ["--variant", `${name}=${command(own)}`]);
  const tail = variants === undefined ? ["--", ...CHAT, "--seed", String(seed)] : sides;
  const words = ["-n", String(runs), ...CHAT_OPTIONS, "--settle", "idle=300ms,max=3s", "--evidence", "off"];
  const { code, stderr } = await place.run(...words, ...tail);
  if (code === null || code > 1) throw new Error(`waymark run ended with ${code}: ${stderr}`);
}

const hasFfmpeg = spawnSync("ffmpeg", ["-version"], { stdio: "ignore" }).status === 0;
/** The test option of a test that makes a video. */
export const NEEDS_FFMPEG = { skip: hasFfmpeg ? false : "ffmpeg is not installed" };

/** Hangs a short video, begun when the run began, on each run: a test picture whose counter shows its own time. */
export function addVideos(folders: readonly string[]): void {
  for (const folder of folders) {
    mkdirSync(join(folder, "evidence"), { recursive: true });
    const picture = "testsrc=size=320x200:rate=25:duration=2";
    const file = join(folder, "evidence", "page.webm");
    // A key frame every few frames, so that seeking is exact.
    spawnSync("ffmpeg", ["-y", "-f", "lavfi", "-i", picture, "-c:v", "libvpx", "-b:v", "150k", "-g", "2", file]);
    const manifest = JSON.parse(readFileSync(join(folder, "run.json"), "utf8")) as { started_at: string };
    const artifacts = [{ kind: "video", path: "evidence/page.webm", at: manifest.started_at }];
    writeFileSync(join(folder, "run.json"), JSON.stringify({ ...manifest, artifacts }));
  }
}
