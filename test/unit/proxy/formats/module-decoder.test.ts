import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { withOwnFormats } from "../../../../proxy/formats/index.ts";
import { loadDecoders } from "../../../../proxy/formats/module-decoder.ts";
import { createTap } from "../../../../proxy/tap.ts";
import { recordsOf, testPipeline } from "../../../support/records.ts";
import { exchangeOf } from "../../../support/requests.ts";
import { scratchFolder } from "../../../support/scratch.ts";

function file(t: TestContext, text: string): string {
  const path = join(scratchFolder(t), "decoder.mjs");
  writeFileSync(path, text);
  return path;
}

const GOOD = `export const decoder = {
  name: "acme-lines",
  hosts: ["lines.acme.example"],
  score: ({ target, text }) => (target === "/lines" && text.startsWith("ACME") ? 1 : 0),
  decode: ({ text }) => text.split("\\n").slice(1).map((line) => {
    const [name, time, value] = line.split("|");
    return { name, time, data: { value: Number(value) }, session: "s" };
  }),
  sinkAnswer: (exchange, events) => ({ status: 202, contentType: "text/plain", body: String(events) }),
};`;

test("a decoder in JavaScript reads its format like any other", async (t) => {
  const decoders = await withOwnFormats({ decoders: [file(t, GOOD)] });
  assert.deepEqual(decoders[0]?.hosts, ["lines.acme.example"]);
  const body = "ACME\nopened|2026-01-31T12:00:00Z|3\nclosed|2026-01-31T12:00:01Z|4";
  const records = recordsOf(exchangeOf({ target: "/lines", body }), undefined, { decoders });
  assert.deepEqual(
    records.map(({ name, time, data }) => [name, time, data]),
    [
      ["opened", "2026-01-31T12:00:00Z", { value: 3 }],
      ["closed", "2026-01-31T12:00:01Z", { value: 4 }],
    ],
  );
});

const BAD: readonly (readonly [what: string, text: string])[] = [
  ["throws in score", 'score() { throw new Error("boom"); }, decode: () => []'],
  ["throws in decode", 'score: () => 1, decode() { throw new Error("boom"); }'],
  ["answers nothing", "score: () => 1, decode: () => undefined"],
  ["names an event by a number", "score: () => 1, decode: () => [{ name: 5 }]"],
  ["gives a time that is none", 'score: () => 1, decode: () => [{ name: "a", time: "soon" }]'],
  ["scores beyond 1", "score: () => 7, decode: () => []"],
  ["gives fields with a cycle", 'score: () => 1, decode() { const a = {}; a.a = a; return [{ name: "x", data: a }]; }'],
];

for (const [what, members] of BAD) {
  test(`a decoder that ${what} costs no event and no request`, async (t) => {
    const decoders = await withOwnFormats({
      decoders: [file(t, `export default { name: "bad", ${members} };`)],
    });
    const said: string[] = [];
    const lines: string[] = [];
    const tap = createTap({
      pipeline: testPipeline({ decoders }),
      ledger: { seen: (_, events) => events.map(() => false), answered: () => undefined },
      writer: { append: ({ before }) => lines.push(before) > 0, lose: () => undefined },
      onProblem: (message) => void said.push(message),
    });
    for (let n = 0; n < 3; n++) tap.take(exchangeOf({ body: '{"name":"kept"}' }));
    assert.equal(lines.length, 3);
    const isCycle = what.endsWith("cycle");
    assert.equal(tap.counts().decoderErrors?.["bad"], isCycle ? undefined : 3);
    assert.equal(said.length, isCycle ? 0 : 1, said.join("\n"));
    if (!isCycle) assert.match(lines[0] ?? "", /"name":"kept"/);
  });
}

test("a file that is no decoder is told, with the reason", async (t) => {
  for (const text of ["export const x = 1;", "export const decoder = { name: 'A B' };", "syntax error("]) {
    await assert.rejects(loadDecoders(file(t, text)), /WM_FORMAT_DECODER/);
  }
  await assert.rejects(loadDecoders("no-such-file.mjs"), /WM_FORMAT_DECODER/);
  const twin = GOOD.replace("acme-lines", "sentry");
  await assert.rejects(withOwnFormats({ decoders: [file(t, twin)] }), /two decoders called "sentry"/);
});
