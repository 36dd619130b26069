import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import type { DecodableExchange } from "../../proxy/decoders/decoder.ts";
import { DECODERS } from "../../proxy/decoders/index.ts";
import { readExchange } from "../../proxy/pipeline/reading.ts";
import type { Exchange } from "../../proxy/record/exchange.ts";
import { PROJECT, SHARED } from "../support/project.ts";
import { testPipeline } from "../support/records.ts";
import { exchangeFromBytes } from "../support/requests.ts";

// Every decoder gets every input, whatever its score: arbitrary bytes at the paths of the formats, and captured requests
// that were cut, mixed and overwritten. Set WAYMARK_RUNS for more of them.

const RUNS = Number(process.env["WAYMARK_RUNS"] ?? 5000);
/** No input of a few kilobytes takes a decoder longer, unless it hangs or grows out of proportion. */
const TOO_LONG_MS = 2000;

const FIXTURES = join(PROJECT, "test", "fixtures", "formats");
const FOLDERS = [FIXTURES, ...(existsSync(join(SHARED, "captures")) ? [join(SHARED, "captures")] : [])];
const CAPTURED: readonly Exchange[] = FOLDERS.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".req"))
    .sort()
    .map((file) => exchangeFromBytes(readFileSync(join(folder, file)))),
).map((exchange) => ({ ...exchange, body: readExchange(exchange, DECODERS, 1 << 26).exchange.body }));

const captured = fc.constantFrom(...CAPTURED);

interface Change {
  readonly at: number;
  readonly bytes: Uint8Array;
  readonly cut: number;
  readonly kind: "overwrite" | "insert" | "remove" | "repeat";
}

const change: fc.Arbitrary<Change> = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  bytes: fc.uint8Array({ maxLength: 8 }),
  cut: fc.nat({ max: 40 }),
  kind: fc.constantFrom("overwrite", "insert", "remove", "repeat"),
});

function changed(body: Uint8Array, { at, bytes, cut, kind }: Change): Uint8Array {
  const from = Math.floor(at * body.length);
  const [head, tail] = [body.subarray(0, from), body.subarray(from)];
  if (kind === "remove") return Buffer.concat([head, tail.subarray(cut)]);
  if (kind === "repeat") return Buffer.concat([head, tail.subarray(0, cut), tail]);
  return Buffer.concat([head, bytes, kind === "insert" ? tail : tail.subarray(bytes.length)]);
}

const mutated = fc
  .tuple(captured, captured, fc.array(change, { minLength: 1, maxLength: 6 }), fc.boolean())
  .map(([request, other, changes, swaps]) => ({
    ...(swaps ? other : request),
    body: changes.reduce(changed, request.body),
  }));
const arbitrary = fc
  .tuple(captured, fc.uint8Array({ maxLength: 400 }))
  .map(([request, body]): Exchange => ({ ...request, body }));
const inputs = fc.oneof({ arbitrary: mutated, weight: 2 }, { arbitrary, weight: 1 });

function decodable(exchange: Exchange): DecodableExchange {
  return { ...exchange, text: Buffer.from(exchange.body).toString("utf8"), response: responseOf(exchange) };
}

/** The same bytes as an answer, for the decoders that read those. */
function responseOf({ body }: Exchange) {
  return { status: 200, headers: [], body, truncated: false };
}

test(`${RUNS} inputs, each to every decoder: scores are from 0 to 1, and nothing but an Error is thrown`, () => {
  fc.assert(
    fc.property(inputs, (exchange) => {
      const began = performance.now();
      for (const decoder of DECODERS) {
        const input = decodable(exchange);
        const score = decoder.score(input);
        assert.ok(score >= 0 && score <= 1, `${decoder.name} scores ${score}`);
        try {
          for (const event of decoder.decode(input).events)
            assert.ok(event.name === null || typeof event.name === "string");
        } catch (cause) {
          assert.ok(cause instanceof Error && cause.name !== "AssertionError", `${decoder.name}: ${String(cause)}`);
        }
      }
      assert.ok(performance.now() - began < TOO_LONG_MS, "it took too long");
    }),
    { numRuns: RUNS },
  );
});

test("mutated captures through the whole pipeline, coded rightly, wrongly and cut: no throw, and none vanishes", () => {
  const coding = fc.constantFrom("none", "gzip", "unnamed gzip", "wrong", "cut gzip");
  const pipeline = testPipeline();
  fc.assert(
    fc.property(inputs, coding, (exchange, kind) => {
      const zipped = kind.includes("gzip") ? gzipSync(exchange.body) : exchange.body;
      const body = kind === "cut gzip" ? zipped.subarray(0, Math.max(12, zipped.length - 9)) : zipped;
      const named = kind === "gzip" || kind === "cut gzip" ? "gzip" : kind === "wrong" ? "br" : "";
      const headers = exchange.headers.filter(([name]) => name.toLowerCase() !== "content-encoding");
      const sent = {
        ...exchange,
        body,
        headers: named === "" ? headers : [...headers, ["Content-Encoding", named] as const],
      };
      for (const { before, after } of pipeline.records(sent)) JSON.parse(`${before}1${after}`);
      if (kind === "cut gzip" && exchange.body.length > 0 && exchange.method === "POST") {
        assert.ok(pipeline.records(sent).length > 0, "a cut body leaves a trace");
      }
    }),
    { numRuns: Math.ceil(RUNS / 5) },
  );
});
