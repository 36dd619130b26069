import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** The path of ffmpeg on this machine's PATH; undefined where there is none. */
export function findFfmpeg(env: Readonly<Record<string, string | undefined>> = process.env): string | undefined {
  const name = process.platform === "win32" ? "ffmpeg.exe" : "ffmpeg";
  const folders = (env["PATH"] ?? env["Path"] ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

/** Runs ffmpeg to its end, at most `limitMs`; undefined when it did its work, else why it did not. Never rejects. */
export function runFfmpeg(
  ffmpeg: string,
  args: readonly string[],
  { cwd, limitMs }: { readonly cwd: string; readonly limitMs: number },
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(ffmpeg, ["-hide_banner", "-nostdin", "-loglevel", "error", "-y", ...args], {
      cwd,
      stdio: ["ignore", "ignore", "pipe"],
      windowsHide: true,
    });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-500);
    });
    const timer = setTimeout(() => child.kill("SIGKILL"), limitMs);
    child.on("error", (cause) => resolve(cause.message));
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      resolve(code === 0 ? undefined : said.trim() || `it ended with ${code ?? signal}`);
    });
  });
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // not here; the next folder may have it
  }
}
