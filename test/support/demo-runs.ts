import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openAuthority } from "../../certs/authority.ts";
import { createCertificateFor } from "../../certs/leaf.ts";
import { startCollector } from "../../examples/chat/collector.ts";
import { TELEMETRY_HOST } from "../../examples/chat/command.ts";
import { MAIN, PROJECT } from "./project.ts";

export interface DemoBatch {
  /** Decides which run fails, and how. */
  readonly seed?: number;
  readonly runs?: number;
  /** More words for `waymark run`, in front of `--`. */
  readonly options?: readonly string[];
  /** Names of variants; each runs the demo's app with a seed of its own. */
  readonly variants?: Readonly<Record<string, number>>;
}

/** Plays the demo's app under `waymark run` into `dir`; answers what was said on stdout. */
export async function playDemo(
  dir: string,
  { seed = 52, runs = 5, options = [], variants }: DemoBatch = {},
): Promise<string> {
  const { authority } = await openAuthority(join(dir, "service-ca"));
  const collector = await startCollector(await createCertificateFor(authority)(TELEMETRY_HOST));
  mkdirSync(dir, { recursive: true });
  const ca = join(dir, "service-ca.pem");
  writeFileSync(ca, authority.certPem);
  const main = join(PROJECT, "dist", "examples", "chat", "main.js");
  const where = ["--dir", dir, "--host", TELEMETRY_HOST, "--upstream-ca", ca];
  const map = ["--map", `${TELEMETRY_HOST}=127.0.0.1:${collector.port}`];
  const commands = Object.entries(variants ?? {}).flatMap(([name, own]) => [
    "--variant",
    `${name}="${process.execPath}" "${main}" --seed ${own}`,
  ]);
  const tail = variants === undefined ? ["--", process.execPath, main, "--seed", String(seed)] : [];
  const words = [
    "run",
    "-n",
    String(runs),
    "-s",
    "simple_collab_switch",
    "--settle",
    "idle=300ms,max=3s",
    ...where,
    ...map,
    ...commands,
    ...options,
    ...tail,
  ];
  try {
    return await waymark(words, dir);
  } finally {
    await collector.close();
  }
}

/** Runs waymark as a user would and answers its stdout; its exit code is the caller's to know, a crash is not. */
async function waymark(words: readonly string[], cwd: string): Promise<string> {
  const child = spawn(process.execPath, [MAIN, ...words], { cwd, stdio: ["ignore", "pipe", "pipe"] });
  const [out, err] = [child.stdout, child.stderr].map((stream) => {
    const parts: string[] = [];
    stream.setEncoding("utf8").on("data", (text: string) => void parts.push(text));
    return parts;
  }) as [string[], string[]];
  const [code] = (await once(child, "close")) as [number | null];
  if (code === null || code > 1) throw new Error(`waymark ${words.join(" ")} ended with ${code}: ${err.join("")}`);
  return out.join("");
}
