import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { parseSegmentFile } from "../../proxy/record/series.ts";
import { startProxy, waymark } from "../support/processes.ts";
import { scratchFolder } from "../support/scratch.ts";
import { needsSmallDisk, smallDisk } from "../support/small-disk.ts";
import { chatSwitches, FIVE_CHATS, sendEvents } from "../support/telemetry.ts";

const EVENTS = 100_000;
const PER_REQUEST = 200;
/** What was answered so long before a kill has to be in the log; the newest may still wait in memory. */
const SETTLED_MS = 1_000;

function linesOf(folder: string): { capture: Record<string, unknown> }[] {
  const files = readdirSync(folder).flatMap((file) => {
    const segment = parseSegmentFile(file);
    return segment === undefined ? [] : [{ file, index: segment.index }];
  });
  files.sort((a, b) => a.index - b.index);
  assert.ok(files.length > 10, "rotation at 1 MB makes many files");
  return files.flatMap(({ file }) => {
    const text = readFileSync(join(folder, file), "utf8");
    if (text === "") return []; // killed between the making of a file and its first line
    assert.ok(text.endsWith("\n"), `${file} ends with a whole line`);
    return text
      .trimEnd()
      .split("\n")
      .map((line) => ({ capture: (JSON.parse(line) as { $capture: Record<string, unknown> }).$capture }));
  });
}

test("100,000 events, a kill -9 in the middle, a restart: seq has no gap and no repeat, no line is torn", async (t) => {
  const cwd = scratchFolder(t);
  const options = { cwd, env: { WAYMARK_CA_DIR: join(cwd, "ca") } };
  const noise = Array.from({ length: PER_REQUEST - 5 }, (_, index) => ({
    name: "noise",
    data: { index, text: "x".repeat(100) },
  }));
  const batch = [...chatSwitches(FIVE_CHATS), ...noise];
  const first = await startProxy(t, ["--sink", "--rotate-size", "1MB"], options);
  const answeredAt: number[] = [];
  for (let sent = 0; sent < EVENTS / 2; sent += PER_REQUEST) {
    await sendEvents(first.port, batch);
    answeredAt.push(performance.now());
  }
  const killedAt = performance.now();
  const dying = Array.from({ length: 8 }, () => sendEvents(first.port, batch).catch(() => 0));
  await first.stop("SIGKILL");
  await Promise.all(dying);
  const second = await startProxy(t, ["--sink", "--rotate-size", "1MB"], options);
  for (let sent = 0; sent < EVENTS / 2; sent += PER_REQUEST) await sendEvents(second.port, batch);
  await second.stop();

  const lines = linesOf(join(cwd, "logs", "telemetry"));
  const numbers = lines.flatMap(({ capture }) => (typeof capture["seq"] === "number" ? [capture["seq"]] : []));
  const settled = answeredAt.filter((at) => at < killedAt - SETTLED_MS).length * PER_REQUEST;
  assert.ok(numbers.length >= settled + EVENTS / 2, `${numbers.length} events`);
  const wrong = numbers.findIndex((seq, index) => seq !== index + 1);
  assert.equal(wrong, -1, `event ${wrong} has seq ${numbers[wrong]}`);
  t.diagnostic(`${numbers.length} events in order over the kill`);

  const graded = await waymark(["grade", "--all", "--scenario", "simple_collab_switch", "--json"], { cwd });
  assert.equal(graded.code, 0, graded.stdout.slice(0, 500) + graded.stderr);
});

test(
  "records lost on a full disk and a kill -9 behind them: the capture is inconclusive",
  needsSmallDisk,
  async (t) => {
    const disk = smallDisk(t);
    if (disk === undefined) return;
    const cwd = scratchFolder(t);
    const options = { cwd, env: { WAYMARK_CA_DIR: join(cwd, "ca") } };
    const proxy = await startProxy(t, ["--sink", "--out", disk], options);
    const full = new Promise<void>((resolve) => {
      proxy.child.stderr?.on("data", (text: string) => {
        if (text.includes("the disk is full")) resolve();
      });
    });
    const noise = Array.from({ length: 100 }, (_, index) => ({
      name: "noise",
      data: { index, text: "x".repeat(900) },
    }));
    await sendEvents(proxy.port, chatSwitches(FIVE_CHATS));
    for (let sent = 0; sent < 20; sent++) await sendEvents(proxy.port, noise);
    await full; // before it says so, nothing is lost but what every kill loses
    await proxy.stop("SIGKILL");
    const scenario =
      "waymark: 1\nscenario: no_toast\ntitle: No toast\nmarkers:\n  - event: noise\nrules:\n  - never: { event: toast }\n";
    writeFileSync(join(cwd, "no_toast.yaml"), scenario);
    const graded = await waymark(["grade", disk, "--all", "--markers", cwd, "-s", "no_toast", "--json"], { cwd });
    const { verdict } = JSON.parse(graded.stdout) as { verdict: unknown };
    assert.equal(verdict, "inconclusive", graded.stdout.slice(0, 500) + graded.stderr);
  },
);
