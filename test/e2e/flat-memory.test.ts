import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import type { ResultDocument } from "../../grader/verdict.ts";
import { MAIN } from "../support/project.ts";
import { scratchFolder } from "../support/scratch.ts";

/** WAYMARK_BIG=1 takes the gigabyte. */
const BIG = process.env["WAYMARK_BIG"] === "1";
const BYTES = BIG ? 1e9 : 1e8;
// A small heap makes the collector work, so that what stays resident is what is needed.
const HEAP_MB = 48;

const SCENARIO = `waymark: 1
scenario: correlated
events: { session: data.sid, id: eid }
markers:
  - { name: Opened, event: doc_open, capture: { d: data.doc } }
  - { name: Saved, event: doc_save, where: { data.doc: $d, data.ok: true }, within: 5s }
  - { name: Five switches, event: chat_switch, repeat: 5, distinct: data.chat, timespan: 2s }
rules:
  - { name: Verified, after: { event: doc_write }, capture: { f: data.doc }, expect: { event: doc_read, data.doc: $f }, within: 1m }
  - { name: Few retries, count: { event: retry }, max: 100000000, timespan: 10s, per: data.doc }
`;

/** Endless work of two sessions: documents opened and saved under other names, writes read back, chats switched. */
function block(first: number, count: number): string {
  const lines: string[] = [];
  for (let n = first; n < first + count; n++) {
    const name = ["doc_open", "doc_save", "doc_write", "doc_read", "chat_switch", "retry"][n % 6];
    const doc = `d${Math.floor(n / 6) % 500}`;
    const data = { sid: `s${n % 2}`, doc, ok: false, chat: `c${n % 3}`, text: "x".repeat(180) };
    lines.push(JSON.stringify({ name, eid: `e${n}`, time: new Date(1.7e12 + n * 40).toISOString(), data }));
  }
  return `${lines.join("\n")}\n`;
}

function residentMb(pid: number): number {
  return Number(/VmRSS:\s+([0-9]+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}

const NEEDS_PROC = {
  skip: existsSync("/proc/self/status") ? false : "there is no /proc to read a process's memory from",
};

test(
  "memory stays flat over a long log with correlation, windows, sessions and delivery ids",
  NEEDS_PROC,
  async (t) => {
    const cwd = scratchFolder(t);
    writeFileSync(join(cwd, "correlated.yaml"), SCENARIO);
    const args = [
      `--max-old-space-size=${HEAP_MB}`,
      MAIN,
      "grade",
      "-",
      "-s",
      "correlated.yaml",
      "--no-store",
      "--json",
    ];
    const child = spawn(process.execPath, args, { cwd, stdio: ["pipe", "pipe", "inherit"] });
    t.after(() => child.kill("SIGKILL"));
    let answer = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      answer += text;
    });
    const samples: { share: number; mb: number }[] = [];
    let written = 0;
    for (let n = 0; written < BYTES; n += 2000) {
      const text = block(n, 2000);
      written += text.length;
      if (!child.stdin.write(text)) await once(child.stdin, "drain");
      samples.push({ share: written / BYTES, mb: residentMb(child.pid ?? 0) });
    }
    child.stdin.end();
    const [code] = (await once(child, "close")) as [number];
    const peak = (from: number, to: number): number =>
      Math.max(...samples.filter(({ share }) => share > from && share <= to).map(({ mb }) => mb));
    // Ten minutes of delivery ids fill up within 70 MB; from then on nothing may grow.
    const [early, late] = [BIG ? peak(0, 0.1) : peak(0.7, 0.8), peak(0.9, 1.1)];
    t.diagnostic(
      `${(written / 1e6).toFixed(0)} MB: ${early.toFixed(0)} MB resident at first, ${late.toFixed(0)} MB in the last tenth`,
    );
    assert.ok(late <= early * 1.05 + 8, `${early} MB grew to ${late} MB`);
    assert.equal(code, 1, answer.slice(0, 2000));
  },
);

test("at the limit of open runs the answer is inconclusive and says so, never a guess", async (t) => {
  const cwd = scratchFolder(t);
  writeFileSync(
    join(cwd, "pairs.yaml"),
    "waymark: 1\nscenario: pairs\nmarkers:\n  - { name: A, event: a, capture: { k: k } }\n  - { name: B, event: b, where: { k: $k } }\n",
  );
  const opened = Array.from({ length: 6000 }, (_, k) => `{"name":"a","k":${k}}\n`).join("");
  writeFileSync(join(cwd, "many.ndjson"), `${opened}{"name":"b","k":0}\n`);
  const child = spawn(process.execPath, [MAIN, "grade", "many.ndjson", "-s", "pairs.yaml", "--no-store", "--json"], {
    cwd,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let answer = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    answer += text;
  });
  const [code] = (await once(child, "close")) as [number];
  const [result] = (JSON.parse(answer) as ResultDocument).results;
  assert.equal(code, 3);
  assert.equal(result?.verdict, "inconclusive");
  assert.deepEqual(result?.stream.limits_hit, ["runs"]);
});
