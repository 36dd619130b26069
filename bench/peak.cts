const fs = process.getBuiltinModule("node:fs");
const threads = process.getBuiltinModule("node:worker_threads");

// Loaded into a Node program by `--require`: when it ends, its highest resident memory in KB goes to a file. CommonJS, as the
// loader of ES modules takes 3 MB, which a program of CommonJS scripts does without.
const file = process.env["BENCH_PEAK_FILE"];
if (file !== undefined && threads.isMainThread) process.on("exit", () => fs.writeFileSync(file, String(ownPeakKb())));

/** Linux's maxRSS would include the starting program's memory, which exec carries over; VmHWM does not. */
function ownPeakKb(): number {
  if (process.platform !== "linux") return process.resourceUsage().maxRSS;
  return Number(/VmHWM:\s+([0-9]+)/.exec(fs.readFileSync("/proc/self/status", "latin1"))?.[1]);
}
