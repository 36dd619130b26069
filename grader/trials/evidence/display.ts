import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { artifactOf } from "./artifact.ts";
import type { Recording } from "./browser.ts";
import { findFfmpeg } from "./ffmpeg.ts";

export interface DisplayOrder {
  readonly folder: string;
  /** As in DISPLAY: `:0`, `host:10.0`. */
  readonly display: string;
  readonly framesPerSecond: number;
  readonly maxBytes: number;
  readonly note: (text: string) => void;
}

const PATH = "evidence/display.webm";
const STOP_MS = 5000;

/**
 * Records an X11 display with ffmpeg's x11grab until `stop`. Without ffmpeg, or where the display does not answer, it
 * says so once and records nothing.
 */
export function recordDisplay(order: DisplayOrder): Recording {
  const ffmpeg = findFfmpeg();
  if (ffmpeg === undefined) {
    order.note(`the display ${order.display} is not recorded: there is no ffmpeg on PATH`);
    return { stop: async () => [] };
  }
  const startedMs = Date.now();
  const grabbing = grab(ffmpeg, order);
  return {
    async stop() {
      const { said } = await grabbing.then(endGrab);
      const info = await stat(join(order.folder, PATH)).catch(() => undefined); // nothing was recorded
      if (info === undefined || info.size === 0) {
        order.note(`the display ${order.display} was not recorded: ${said.trim().split("\n").at(-1) ?? ""}`);
        return [];
      }
      const at = new Date(firstFrameMs(said) ?? startedMs).toISOString();
      return [await artifactOf(order.folder, { kind: "video", path: PATH, at })];
    },
  };
}

interface Grab {
  readonly child: ChildProcess;
  readonly closed: Promise<void>;
  said: string;
}

async function grab(ffmpeg: string, order: DisplayOrder): Promise<Grab> {
  await mkdir(join(order.folder, "evidence"), { recursive: true }).catch(() => undefined); // ffmpeg says what is wrong
  const input = ["-f", "x11grab", "-draw_mouse", "1", "-framerate", String(order.framesPerSecond), "-i", order.display];
  const encoding =
    "-c:v libvpx -deadline realtime -cpu-used 8 -b:v 1M -crf 20 -pix_fmt yuv420p -g 30 -an -flush_packets 1".split(" ");
  const words = [
    "-hide_banner",
    "-loglevel",
    "info",
    "-nostats",
    "-y",
    ...input,
    ...encoding,
    "-fs",
    String(order.maxBytes),
    PATH,
  ];
  const child = spawn(ffmpeg, words, { cwd: order.folder, stdio: ["pipe", "ignore", "pipe"], windowsHide: true });
  const closed = new Promise<void>((resolve) => {
    child.on("error", () => resolve());
    child.on("close", () => resolve());
  });
  const grabbed: Grab = { child, closed, said: "" };
  child.stdin.on("error", () => undefined); // it ended by itself
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    grabbed.said = (grabbed.said + text).slice(0, 20_000);
  });
  return grabbed;
}

/** `q` lets ffmpeg close its file; one that does not listen is ended. */
async function endGrab(grabbed: Grab): Promise<Grab> {
  const { child, closed } = grabbed;
  child.stdin?.end("q");
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
  await closed;
  clearTimeout(timer);
  return grabbed;
}

/** x11grab stamps frames with the wall clock; ffmpeg prints the first stamp as the input's `start`, in seconds. */
function firstFrameMs(said: string): number | undefined {
  const seconds = Number(/Duration: N\/A, start: (?<start>[0-9]+\.[0-9]+)/.exec(said)?.groups?.["start"]);
  return seconds > 1e9 ? seconds * 1000 : undefined;
}
