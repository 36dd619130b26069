import { join } from "node:path";
import type { TestContext } from "node:test";
import { type LaunchOrder, launch } from "../../proxy/launch/index.ts";
import { listProcesses, type ProcessEntry } from "../../proxy/launch/process-table.ts";
import { scratchFolder } from "./scratch.ts";

export const NEEDS_POSIX = { skip: process.platform === "win32" && "POSIX process groups and sh" };

/** Launches a command with its output in a fresh folder; it is stopped when the test ends. */
export function launchHere(t: Pick<TestContext, "after">, command: readonly string[], more: Partial<LaunchOrder> = {}) {
  const folder = scratchFolder(t);
  const stdoutFile = join(folder, "stdout.log");
  const stderrFile = join(folder, "stderr.log");
  const launched = launch({ command, env: process.env, stdoutFile, stderrFile, graceMs: 300, ...more });
  t.after(() => launched.stop("the test is over"));
  return { ...launched, folder, stdoutFile, stderrFile };
}

/** The processes that carry a variable in their environment, by the machine's own process table. */
export async function processesWith(mark: string): Promise<ProcessEntry[]> {
  return (await listProcesses(mark)).filter(({ isMarked }) => isMarked);
}

/** Resolves when a program has written what `text` matches to its standard output. */
export function outputWatch(): {
  readonly onOutput: NonNullable<LaunchOrder["onOutput"]>;
  seen(text: RegExp): Promise<string>;
} {
  let said = "";
  let wake: () => void = () => undefined;
  return {
    onOutput: (stream, chunk) => {
      if (stream === "stdout") said += chunk.toString("utf8");
      wake();
    },
    async seen(text) {
      while (!text.test(said)) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return said;
    },
  };
}
