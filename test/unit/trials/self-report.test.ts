import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { parseSelfReport, readSelfReport, SELF_REPORT_BYTES } from "../../../grader/trials/self-report.ts";
import { CLAIM_WORDS } from "../../../grader/trials/self-report-claims.ts";
import { PROJECT } from "../../support/project.ts";
import { scratchFolder } from "../../support/scratch.ts";

const says = (text: string): boolean | undefined => parseSelfReport(text)?.claims_success;

test("JSON reports claim with a word or a flag", () => {
  for (const [text, report] of [
    ['{"claim": "done"}', { claim: "done", claims_success: true }],
    ['{"success": true}', { claim: "done", claims_success: true }],
    ['{"success": false, "reason": "no network"}', { claim: "failed", claims_success: false, text: "no network" }],
    ['{"status": "Completed"}', { claim: "completed", claims_success: true }],
    ['{"status": "blocked"}', { claim: "blocked", claims_success: false }],
    ['{"claim": "unsure"}', { claim: "unsure" }],
    ['{"done": "true"}', { claim: "true", claims_success: true }],
    ['{"result": "42 chats", "success": true}', { claim: "done", claims_success: true, text: "42 chats" }],
    ["true", { claim: "done", claims_success: true }],
    ['"gave up"', { claim: "gave up", claims_success: false }],
    ['{"claim": "I failed: no network"}', { claim: "failed", claims_success: false, text: "I failed: no network" }],
    ['{"answer": 42}', { claim: "unclear", text: '{"answer":42}' }],
    ["[1]", { claim: "unclear", text: "[1]" }],
    ['{"claim": "done", "success": false}', { claim: "done" }],
    ['{"__proto__": {"success": true}}', { claim: "unclear", text: '{"__proto__":{"success":true}}' }],
  ] as const) {
    assert.deepEqual(parseSelfReport(text), report, text);
  }
});

test("plain text claims by its first sentence, whole", () => {
  for (const text of [
    ...[
      "done",
      "Done.",
      "DONE!",
      "✅ Done",
      "I have finished the task.",
      "Task completed successfully",
      "All done - both chats",
    ],
    ...[
      "done, all chats switched",
      "status: done",
      "The task was completed. It took long.",
      "**Success**",
      "I've succeeded",
    ],
  ]) {
    assert.equal(says(text), true, text);
  }
  for (const text of [
    ...["failed", "Gave up", "I gave up.", "blocked", "I was not successful", "not done", "Task failed: no network"],
    ...["unable", "The task is not complete", "Failed, but most of it works", "Timed out"],
  ]) {
    assert.equal(says(text), false, text);
  }
  for (const text of [
    ...[
      "unsure",
      "done?",
      "done with two errors",
      "Done, but the second chat failed",
      "I think it went well",
      "not sure",
    ],
    ...[
      "partially done",
      "The button says done",
      "completed 3 of 5",
      "not failed",
      "Done - not tested",
      "🤷",
      "success is unlikely",
    ],
  ]) {
    assert.equal(says(text), undefined, text);
  }
});

test("every word of the table claims what its row says, and no word twice", () => {
  const all = Object.values(CLAIM_WORDS).flat();
  assert.equal(new Set(all).size, all.length);
  for (const word of CLAIM_WORDS.success) assert.equal(says(word), true, word);
  for (const word of CLAIM_WORDS.failure) assert.equal(says(word), false, word);
  for (const word of CLAIM_WORDS.neither) assert.equal(says(word), undefined, word);
});

test("docs/cost.md shows the table as it is", () => {
  const page = readFileSync(join(PROJECT, "docs", "cost.md"), "utf8");
  for (const [claim, words] of Object.entries(CLAIM_WORDS))
    assert.ok(page.includes(`| ${claim} | ${words.join(", ")}`), claim);
});

test("no file and an empty one report nothing; what is no file is told", (t) => {
  const folder = scratchFolder(t);
  const file = join(folder, "report");
  assert.equal(readSelfReport(file), undefined);
  writeFileSync(file, " \n\0");
  assert.equal(readSelfReport(file), undefined);
  mkdirSync(join(folder, "dir"));
  assert.equal(readSelfReport(join(folder, "dir"))?.claim, "unreadable");
  assert.equal(readSelfReport("a\0b")?.claims_success, undefined);
});

test("hostile bytes neither steer a terminal nor break the reading", (t) => {
  const file = join(scratchFolder(t), "report");
  const read = (bytes: Buffer | string) => {
    writeFileSync(file, bytes);
    return readSelfReport(file);
  };
  const steering = read("\u001b[2Jdone\u202e\u0007\n\u001b]0;x\u0007");
  assert.ok(!/[\p{Cc}\p{Cf}]/u.test(`${steering?.claim}${steering?.text}`.replaceAll("\n", "")));
  assert.equal(read(Buffer.from("\ufeffdone", "utf8"))?.claims_success, true);
  assert.equal(read(Buffer.from('\ufeff{"claim":"done"}', "utf16le"))?.claims_success, true);
  assert.equal(read(Buffer.from([0xff, 0xfd, 0x80, 0x0a]))?.claims_success, undefined);
  assert.equal(read("[".repeat(60_000))?.claims_success, undefined);
  const long = read(`done. ${"x".repeat(1_000_000)}`);
  assert.equal(long?.claims_success, true);
  assert.ok((long?.text?.length ?? 0) <= 2000);
  const cut = read(`{"text": "${"y".repeat(SELF_REPORT_BYTES)}", "claim": "done"}`);
  assert.equal(cut?.claims_success, undefined, "a report that was cut claims nothing");
});
