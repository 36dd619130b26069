import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { junit } from "../../../grader/report/reporters/junit.ts";
import type { BatchDocument } from "../../../grader/trials/batch.ts";
import { summarise } from "../../../grader/trials/summarise.ts";
import { batchOf, factsOf, trialsOf } from "../../support/batches.ts";
import { hostileBatch } from "../../support/hostile-results.ts";
import { PROJECT } from "../../support/project.ts";
import { scratchFolder } from "../../support/scratch.ts";

function xmlOf(document: BatchDocument): string {
  const parts: string[] = [];
  junit.create({ write: (part) => void parts.push(part), colour: false, detail: 1 }).onBatch?.(document);
  return parts.join("");
}

const hasXmllint = spawnSync("xmllint", ["--version"]).status === 0;
const NEEDS_XMLLINT = { skip: hasXmllint ? false : "xmllint is not installed" };

/** What xmllint says of a file, held against Jenkins' schema. */
function validate(t: TestContext, xml: string): string {
  const file = join(scratchFolder(t), "junit.xml");
  writeFileSync(file, xml);
  const schema = join(PROJECT, "test", "fixtures", "junit.xsd");
  const { stderr } = spawnSync("xmllint", ["--noout", "--schema", schema, file], { encoding: "utf8" });
  return stderr.replaceAll(file, "junit.xml").trim();
}

for (const [name, document] of [
  ["verdicts of every kind", batchOf("PPFEI-")],
  ["a gate that is met all the same", batchOf("PPPPFE", { gate: "50%" })],
  ["no runs", batchOf("")],
  ["hostile names", hostileBatch()],
] as const) {
  test(`junit validates against Jenkins' schema: ${name}`, NEEDS_XMLLINT, (t) => {
    assert.equal(validate(t, xmlOf(document)), "junit.xml validates");
  });
}

test("a failed run is a failure, one without a grade an error, a stopped one skipped", () => {
  const xml = xmlOf(batchOf("PFEI-"));
  assert.match(xml, /<testsuites name="waymark" tests="5" failures="1" errors="2"/);
  assert.equal(xml.match(/<failure type="missed_marker"/g)?.length, 1);
  assert.equal(xml.match(/<error type="error"/g)?.length, 1);
  assert.equal(xml.match(/<error type="inconclusive"/g)?.length, 1);
  assert.equal(xml.match(/<skipped /g)?.length, 1);
});

test("a met gate makes failures flaky, so that a green gate does not show red", () => {
  const xml = xmlOf(batchOf("PPPPFE", { gate: "50%" }));
  assert.match(xml, /<testsuites name="waymark" tests="6" failures="0" errors="0"/);
  assert.equal(xml.match(/<flakyFailure type="missed_marker"/g)?.length, 1);
  assert.equal(xml.match(/<flakyError type="error"/g)?.length, 1);
  assert.doesNotMatch(xml, /<failure|<error/);
});

test("evidence is attached the way Jenkins reads it", () => {
  const [trial] = trialsOf("P", { artifacts: [{ kind: "video", path: "evidence/page.webm" }] });
  assert.ok(trial !== undefined);
  const log = `/runs/${trial.manifest.id}/telemetry`;
  const document = summarise(factsOf([{ ...trial, results: trial.results.map((result) => ({ ...result, log })) }]));
  assert.match(xmlOf(document), /\[\[ATTACHMENT\|\/runs\/01RUN0001\/evidence\/page\.webm\]\]/);
});

test("nothing that XML 1.0 cannot write comes out", () => {
  // The character production of XML 1.0, section 2.2.
  const allowed = /^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u;
  assert.match(xmlOf(hostileBatch()), allowed);
});
