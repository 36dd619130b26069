import { readFileSync, writeFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

// Loaded into a Node program by `--import`: when it ends, its highest resident memory in KB goes to a file.
const file = process.env["BENCH_PEAK_FILE"];
if (file !== undefined && isMainThread) process.on("exit", () => writeFileSync(file, String(ownPeakKb())));

/** Linux's maxRSS would include the starting program's memory, which exec carries over; VmHWM does not. */
function ownPeakKb(): number {
  if (process.platform !== "linux") return process.resourceUsage().maxRSS;
  return Number(/VmHWM:\s+([0-9]+)/.exec(readFileSync("/proc/self/status", "latin1"))?.[1]);
}
