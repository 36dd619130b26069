// The guard: a process of its own that outlives waymark. As long as its input is open it only remembers which launches
// are under way; when the input ends, because waymark ended in whatever way, it ends what is left of them, and itself.
import { endAll } from "../ending.ts";
import type { GuardLine } from "../guard-process.ts";

const watched = new Map<string, Extract<GuardLine, { kind: "watch" }>>();

function take(text: string): void {
  const line = JSON.parse(text) as GuardLine;
  if (line.kind === "watch") watched.set(line.mark, line);
  else watched.delete(line.mark);
}

let pending = "";
process.stdin
  .setEncoding("utf8")
  .on("data", (text: string) => {
    const lines = (pending + text).split("\n");
    pending = lines.pop() ?? "";
    lines.forEach(take);
  })
  .on("error", () => undefined)
  .on("close", async () => {
    await Promise.all([...watched.values()].map(({ root, mark, graceMs }) => endAll({ root, mark }, graceMs)));
    process.exit(0);
  });

// It goes when waymark goes, not when a terminal is closed or somebody interrupts the group it was started in.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
