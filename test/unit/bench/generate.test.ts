import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import test from "node:test";
import { LOG_KINDS, type LogKind, logFile, logText } from "../../../bench/generate.ts";
import { MARKERS } from "../../../bench/markers.ts";

const KINDS = Object.keys(LOG_KINDS) as LogKind[];
const BYTES = 400_000;

function textOf(kind: LogKind, seed = 1): string {
  return [...logText({ kind, bytes: BYTES, seed })].join("");
}

function linesOf(text: string): string[] {
  assert.ok(text.endsWith("\n"), "every line is ended");
  return text.slice(0, -1).split("\n");
}

function isJson(line: string): boolean {
  try {
    return typeof JSON.parse(line) === "object";
  } catch {
    return false;
  }
}

for (const kind of KINDS) {
  test(`the ${kind} log is the same for the same seed, another for another, and as large as asked`, () => {
    const text = textOf(kind);
    assert.equal(textOf(kind), text);
    assert.notEqual(textOf(kind, 2), text);
    const bytes = Buffer.byteLength(text);
    assert.ok(bytes >= BYTES && bytes < BYTES * 1.2, `${bytes} bytes`);
  });
}

for (const kind of KINDS.filter((name) => name !== "malformed")) {
  test(`every line of the ${kind} log is a JSON object with a name`, () => {
    for (const line of linesOf(textOf(kind))) assert.equal(typeof JSON.parse(line).name, "string");
  });
}

test("the malformed log has lines that are no JSON, and few of them", () => {
  const text = [...logText({ kind: "malformed", bytes: 4_000_000, seed: 1 })].join("");
  const lines = linesOf(text);
  const bad = lines.filter((line) => !isJson(line)).length;
  assert.ok(bad > 0 && bad < lines.length / 100, `${bad} of ${lines.length}`);
});

test("the cache's version stands for one text: a change of either needs a change of both", () => {
  const digest = createHash("sha256").update(textOf("sparse")).digest("hex");
  assert.equal(digest, "8928f9a00ba05deefc5ac47637f0d0d2be637aeb6d0f382fa10c27d3eaae4ad5");
});

test("lines are of the length apps send: half a kilobyte to four, and some of about 50 KB", () => {
  const text = [...logText({ kind: "sparse", bytes: 5_000_000, seed: 1 })].join("");
  const lengths = linesOf(text)
    .map((line) => Buffer.byteLength(line))
    .sort((a, b) => a - b);
  const at = (share: number): number => lengths[Math.floor(lengths.length * share)] ?? 0;
  assert.ok(at(0) >= 500 && at(0.98) <= 4096, `${at(0)} to ${at(0.98)}`);
  assert.ok(lengths.some((length) => length > 40_000 && length < 60_000));
  assert.match(text, /\\n/);
  assert.match(text, /\\"/);
  assert.match(text, /\\u[0-9a-f]{4}/);
  assert.match(text, /[\u3040-\u9fff]/);
});

test("kinds differ in what they are for", () => {
  const each = (kind: LogKind, holds: (line: string) => boolean): number => {
    const lines = linesOf(textOf(kind));
    return lines.filter(holds).length / lines.length;
  };
  const awaited = MARKERS.map(({ event }) => `"${event}"`);
  assert.ok(each("dense", (line) => awaited.some((name) => line.includes(name))) > 0.2);
  assert.ok(each("literal", (line) => awaited.every((name) => line.includes(name))) > 0.95);
  assert.ok(each("escaped", (line) => /\\u[0-9a-f]{4}/.test(line)) > 0.95);
  assert.ok(each("hidden", (line) => line.includes('"G\\u0065sture"')) > 0.95);
  assert.ok(each("tiny", (line) => line.length < 45) > 0.99);
  const longest = Math.max(...linesOf(textOf("long")).map((line) => line.length));
  assert.ok(longest > BYTES * 0.85);
});

test("a log file holds the text and is made once", async (t) => {
  const spec = { kind: "tiny", bytes: 50_000, seed: 77 } as const;
  const path = await logFile(spec);
  t.after(() => rmSync(path));
  assert.equal(readFileSync(path, "utf8"), [...logText(spec)].join(""));
  assert.equal(await logFile(spec), path);
});
