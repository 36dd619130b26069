import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import test from "node:test";
import fc from "fast-check";
import ndjson from "ndjson";
import { Intake } from "../../grader/read/intake.ts";
import { createLineSplitter } from "../../grader/read/lines.ts";
import { type ParsedLine, parseLine } from "../../grader/read/parse.ts";
import { SeriesReader } from "../../grader/read/reader.ts";
import type { RangeSummary } from "../../grader/read/tally.ts";
import { type JsonValue, parseJson, stringifyJson } from "../../proxy/record/json.ts";
import { Collected } from "../support/collect.ts";
import { readPlain } from "../support/plain-reader.ts";
import { scratchFolder } from "../support/scratch.ts";

const MAX_BYTES = 60;

/** Lines a log may hold, among them all kinds of damage. */
const piece = fc.oneof(
  fc.json({ maxDepth: 2 }).map((text) => Buffer.from(text)),
  fc.record({ name: fc.string({ unit: "binary", maxLength: 8 }) }).map((value) => Buffer.from(JSON.stringify(value))),
  fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
  fc
    .constantFrom(
      "null",
      "0",
      "[]",
      "",
      "   ",
      "\t",
      "{",
      "}",
      "\ufeff",
      "\0",
      "\r",
      '{"name":"x"}',
      '{"a":9007199254740993}',
    )
    .map((text) => Buffer.from(text)),
  fc.integer({ min: 55, max: 70 }).map((length) => Buffer.from(JSON.stringify({ a: "x".repeat(length - 8) }))),
);
const lineEnd = fc.constantFrom("\n", "\r\n", "\n\n", "\r", "");
const log = fc
  .tuple(fc.boolean(), fc.array(fc.tuple(piece, lineEnd), { maxLength: 12 }))
  .map(([hasBom, lines]) =>
    Buffer.concat([Buffer.from(hasBom ? "\ufeff" : ""), ...lines.flatMap(([bytes, end]) => [bytes, Buffer.from(end)])]),
  );

function chunksOf(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

function readFast(chunks: readonly Buffer[]): ParsedLine[] {
  const lines: ParsedLine[] = [];
  const tooLong: ParsedLine = { kind: "bad", why: `longer than ${MAX_BYTES} bytes (limits: line_bytes)`, whole: false };
  const splitter = createLineSplitter(MAX_BYTES, {
    line: (bytes, start, end) => lines.push(parseLine(bytes, start, end)),
    tooLong: () => lines.push(tooLong),
  });
  for (const chunk of chunks) splitter.push(Buffer.from(chunk));
  const rest = splitter.end();
  if (rest.kind === "bytes") lines.push(parseLine(rest.bytes, 0, rest.bytes.length));
  if (rest.kind === "too long") lines.push(tooLong);
  return lines;
}

async function readReference(chunks: readonly Buffer[]): Promise<ParsedLine[]> {
  const lines: ParsedLine[] = [];
  await readPlain(Readable.from(chunks, { objectMode: false }), MAX_BYTES, (line) => lines.push(line));
  return lines;
}

const sizes = fc.array(fc.integer({ min: 1, max: 17 }), { minLength: 1, maxLength: 4 });

test("block reader and split2 reader agree on every log in every chunking", async () => {
  await fc.assert(
    fc.asyncProperty(log, sizes, async (bytes, chunking) => {
      const whole = readFast([bytes]);
      const fast = readFast(chunksOf(bytes, chunking));
      assert.deepEqual(fast, whole);
      assert.deepEqual(await readReference(chunksOf(bytes, chunking)), whole);
    }),
    { numRuns: 400 },
  );
});

test("on logs of objects the events are those that the ndjson package reads", async () => {
  const objects = fc.array(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(objects, async (values) => {
      const bytes = Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(""));
      const expected: unknown[] = [];
      const stream = Readable.from([bytes], { objectMode: false }).pipe(ndjson.parse());
      for await (const value of stream) expected.push(value);
      const own: unknown[] = [];
      await readPlain(Readable.from([bytes], { objectMode: false }), 1e6, (line) => {
        if (line.kind === "event") own.push(line.value);
      });
      const withoutDigits = JSON.parse(stringifyJson(own as JsonValue)) as unknown; // the package rounds long integers
      assert.equal(JSON.stringify(withoutDigits), JSON.stringify(expected));
    }),
    { numRuns: 100 },
  );
});

test("long integers are found wherever they stand: the byte scan agrees with parseJson", () => {
  const digits = fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n });
  const value = fc.letrec<{ any: JsonValue }>((tie) => ({
    any: fc.oneof({ maxDepth: 3 }, digits, fc.string(), fc.array(tie("any")), fc.dictionary(fc.string(), tie("any"))),
  })).any;
  fc.assert(
    fc.property(value, fc.nat({ max: 20 }), (inner, pad) => {
      const text = `${" ".repeat(pad)}{"a":${stringifyJson(inner)}}`;
      const bytes = Buffer.from(text);
      assert.deepEqual(parseLine(bytes, 0, bytes.length), { kind: "event", value: parseJson(text) });
    }),
    { numRuns: 500 },
  );
});

async function readFiles(files: readonly string[]): Promise<{ events: string[]; summary: RangeSummary }> {
  const sink = new Collected();
  const intake = new Intake({ rule: { kind: "all" }, sink });
  const reader = new SeriesReader(intake, { lineBytes: 10_000, blockBytes: 64 });
  reader.extend(files.map((file, index) => ({ file, index })));
  await reader.drain();
  await reader.close();
  return { events: sink.events.map(({ event }) => stringifyJson(event)), summary: intake.finish() };
}

test("a log cut into files anywhere reads like the uncut one", async (t) => {
  const folder = scratchFolder(t);
  const events = fc.array(fc.record({ name: fc.string({ unit: "binary" }), n: fc.integer() }), {
    minLength: 1,
    maxLength: 6,
  });
  let round = 0;
  await fc.assert(
    fc.asyncProperty(
      events,
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 3 }),
      async (values, cuts) => {
        round++;
        const bytes = Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(""));
        const places = [0, ...cuts.map((cut) => Math.floor(cut * bytes.length)).sort((a, b) => a - b), bytes.length];
        const files = places.slice(1).map((end, index) => {
          const file = join(folder, `${round}-${index}.log`);
          writeFileSync(file, bytes.subarray(places[index], end));
          return file;
        });
        const pieces = places.slice(1).map((end, index) => bytes.subarray(places[index], end).toString("latin1"));
        // a record cut over three files has a middle that neither ends nor begins it: that one is reported instead
        fc.pre(
          pieces.slice(1, -1).every((part) => part === "" || part.includes("\n")) && !pieces.slice(1, -1).includes(""),
        );
        const { events: read, summary } = await readFiles(files);
        assert.deepEqual(
          read,
          values.map((value) => JSON.stringify(value)),
        );
        assert.deepEqual([summary.cut, summary.linesBad], [undefined, 0]);
      },
    ),
    { numRuns: 60 },
  );
});
