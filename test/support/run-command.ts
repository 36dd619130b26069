import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { BatchDocument } from "../../grader/trials/batch.ts";
import { type Finished, type RunOptions, waymark } from "./processes.ts";
import { PROJECT } from "./project.ts";
import { scratchFolder } from "./scratch.ts";

/** The bundled chat app with its agent, as a command line behind `--`. */
export const CHAT = [process.execPath, join(PROJECT, "dist", "examples", "chat", "main.js")];

/** Options by which its telemetry is answered on this machine. */
export const CHAT_OPTIONS = ["--sink", "--host", "events.chat.example", "-s", "simple_collab_switch"];

/** A folder to run in, with an authority of its own. */
export interface RunPlace {
  readonly cwd: string;
  readonly options: RunOptions;
  /** `waymark run` with these words. */
  run(...words: readonly string[]): Promise<Finished>;
  /** The same with `--json`; the document it printed. */
  json(...words: readonly string[]): Promise<{ readonly said: Finished; readonly document: BatchDocument }>;
  file(name: string, text: string): string;
  /** What stands in the runs' folders, by run. */
  runFolders(): readonly string[];
}

export function runPlace(t: Pick<TestContext, "after">): RunPlace {
  const cwd = scratchFolder(t);
  const options = { cwd, env: { WAYMARK_CA_DIR: join(cwd, "ca") } };
  const run = (...words: readonly string[]): Promise<Finished> => waymark(["run", ...words], options);
  return {
    cwd,
    options,
    run,
    json: async (...words) => {
      const said = await run("--json", ...words);
      return { said, document: JSON.parse(said.stdout) as BatchDocument };
    },
    file: (name, text) => {
      mkdirSync(join(cwd, name, ".."), { recursive: true });
      writeFileSync(join(cwd, name), text);
      return join(cwd, name);
    },
    runFolders: () => {
      const folder = join(cwd, ".waymark", "runs");
      return readdirSync(folder)
        .sort()
        .map((name) => join(folder, name));
    },
  };
}

/** An app that sends events as OneCollector does, and ends; it knows of no proxy. Plain JavaScript for `node -e`. */
export function sender(body: string): string {
  return `
const { request } = require("node:http");
function send(name, data = {}) {
  const body = JSON.stringify({ ver: "4.0", name, time: new Date().toISOString(), iKey: "o:0123456789abcdef", data });
  const url = "http://mobile.events.data.microsoft.com/OneCollector/1.0/";
  return new Promise((resolve, reject) => {
    const headers = { "Content-Length": Buffer.byteLength(body) };
    const sent = request(url, { method: "POST", headers }, (answer) => answer.resume().on("end", resolve));
    sent.on("error", reject);
    sent.end(body);
  });
}
(async () => { ${body} })();
`;
}

/** All events in the logs of a run's folder. */
export function eventsIn(folder: string): readonly Readonly<{ name: string; data: Record<string, unknown> }>[] {
  const text = readFileSync(join(folder, "telemetry", "telemetry-0.log"), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { name: string | null; data: Record<string, unknown> })
    .filter((event): event is { name: string; data: Record<string, unknown> } => event.name !== null);
}
