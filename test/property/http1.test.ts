import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import test from "node:test";
import fc from "fast-check";
import { Conversation } from "../../proxy/intercept/conversation.ts";
import { newCounts } from "../../proxy/intercept/counts.ts";
import { Recorder } from "../../proxy/intercept/recorder.ts";
import type { Exchange } from "../../proxy/record/exchange.ts";

interface Seen {
  readonly exchanges: readonly Omit<Exchange, "id" | "arrivedAt">[];
  readonly answers: readonly (number | undefined)[];
  readonly opaque: number;
}

/** Feeds requests, then answers, each in pieces cut at the given places. */
function converse(requests: Buffer, answers: Buffer, cuts: readonly number[]): Seen {
  const exchanges: Exchange[] = [];
  const statuses: (number | undefined)[] = [];
  const counts = newCounts();
  const hooks = {
    maxBodyBytes: 1 << 20,
    onExchange: (exchange: Exchange) => void exchanges.push(exchange),
    onAnswer: (_: string, status: number | undefined) => void statuses.push(status),
  };
  const conversation = new Conversation(new Recorder(hooks, counts), { scheme: "https", host: "h", port: 443 });
  for (const piece of cut(requests, cuts)) conversation.request(piece);
  for (const piece of cut(answers, cuts)) conversation.answer(piece);
  conversation.requestEnd();
  conversation.answerEnd();
  conversation.close();
  const plain = exchanges.map(({ id: _, arrivedAt: __, ...rest }) => ({ ...rest, body: Buffer.from(rest.body) }));
  return { exchanges: plain, answers: statuses, opaque: counts.opaque };
}

function cut(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set(cuts.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...places].map((from, index) => bytes.subarray(from, places[index] ?? bytes.length));
}

const token = fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,8}$/);
const body = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
const cuts = fc.array(fc.nat(5000), { maxLength: 60 });

/** A request and its answer with what must come out of them. */
const pair = fc.record({
  method: fc.constantFrom("GET", "POST", "HEAD", "PUT", "PATCH"),
  path: token,
  header: token,
  framing: fc.constantFrom("none", "length", "chunked"),
  sizes: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 }),
  body,
  status: fc.constantFrom(200, 204, 304, 404, 500),
  interim: fc.boolean(),
  answer: body,
  answerFraming: fc.constantFrom("length", "chunked"),
});
/** Some of them several times in a row, as an app says them. */
const pairsInTurn = fc
  .array(fc.tuple(pair, fc.integer({ min: 1, max: 4 })), { minLength: 1, maxLength: 6 })
  .map((all) => all.flatMap(([one, times]) => Array.from({ length: times }, () => one)));
type Pair = typeof pair extends fc.Arbitrary<infer T> ? T : never;

function framed(framing: string, content: Buffer, sizes: readonly number[]): { head: string; bytes: Buffer } {
  if (framing === "none") return { head: "", bytes: Buffer.alloc(0) };
  if (framing === "length") return { head: `Content-Length: ${content.length}\r\n`, bytes: content };
  const parts: Buffer[] = [];
  for (let at = 0, index = 0; at < content.length; index += 1) {
    const piece = content.subarray(at, at + (sizes[index % sizes.length] ?? 1));
    parts.push(Buffer.from(`${piece.length.toString(16)};x=y\r\n`), piece, Buffer.from("\r\n"));
    at += piece.length;
  }
  parts.push(Buffer.from("0\r\nX-Trailer: 1\r\n\r\n"));
  return { head: "Transfer-Encoding: chunked\r\n", bytes: Buffer.concat(parts) };
}

function requestBytes({ method, path, header, framing, body: content, sizes }: Pair): Buffer {
  const { head, bytes } = framed(framing, content, sizes);
  return Buffer.concat([Buffer.from(`${method} /${path} HTTP/1.1\r\nX-${header}: v\r\n${head}\r\n`), bytes]);
}

function answerBytes({ method, status, interim, answer, answerFraming, sizes }: Pair): Buffer {
  const { head, bytes } = framed(answerFraming, answer, sizes);
  const isEmpty = method === "HEAD" || status === 204 || status === 304;
  const first = interim ? "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" : "";
  return Buffer.concat([
    Buffer.from(`${first}HTTP/1.1 ${status} Word\r\n${head}\r\n`),
    isEmpty ? Buffer.alloc(0) : bytes,
  ]);
}

test("pipelined requests and their answers come out the same however the bytes are cut", () => {
  fc.assert(
    fc.property(pairsInTurn, cuts, (pairs, places) => {
      const seen = converse(Buffer.concat(pairs.map(requestBytes)), Buffer.concat(pairs.map(answerBytes)), places);
      assert.deepEqual(
        seen.exchanges.map(({ method, target, body: bytes, truncated }) => ({
          method,
          target,
          body: bytes,
          truncated,
        })),
        pairs.map(({ method, path, framing, body: content }) => ({
          method,
          target: `/${path}`,
          body: framing === "none" ? Buffer.alloc(0) : content,
          truncated: false,
        })),
      );
      assert.deepEqual(
        seen.answers,
        pairs.map(({ status }) => status),
      );
      assert.equal(seen.opaque, 0);
    }),
    { numRuns: 300 },
  );
});

const MUTANTS = [
  "GET / HTTP/1.1\r\n",
  "POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc",
  "Transfer-Encoding: chunked\r\n",
  "\r\n\r\n",
  "5\r\nhello\r\n",
  "0\r\n\r\n",
  "HTTP/1.1 200 OK\r\n",
  "HTTP/1.1 101 S\r\n\r\n",
  " : x\r\n",
  "\u0000\u00ff",
];

test("no bytes make it throw, and any cutting of them gives the same", () => {
  const garbage = fc
    .array(
      fc.oneof(
        fc.constantFrom(...MUTANTS).map((text) => Buffer.from(text, "latin1")),
        body,
      ),
      { maxLength: 12 },
    )
    .map((parts) => Buffer.concat(parts));
  fc.assert(
    fc.property(garbage, garbage, cuts, (requests, answers, places) => {
      assert.deepEqual(converse(requests, answers, places), converse(requests, answers, []));
    }),
    { numRuns: 500 },
  );
});

test("a mebibyte in single bytes is read in linear time and whole", () => {
  const content = randomBytes(1 << 18);
  const head = Buffer.from(`POST / HTTP/1.1\r\nX: ${"y".repeat(60_000)}\r\nContent-Length: ${content.length}\r\n\r\n`);
  const all = Buffer.concat([head, content]);
  const seen = converse(
    all,
    Buffer.alloc(0),
    Array.from({ length: all.length }, (_, index) => index),
  );
  assert.deepEqual(seen.exchanges[0]?.body, content);
});

test("shapes on which two parsers could disagree are not read", () => {
  const shapes = [
    "POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "POST / HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
    "POST / HTTP/1.1\r\nTransfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n",
    "POST / HTTP/1.1\r\nTransfer-Encoding: identity\r\n\r\n",
    "POST / HTTP/1.1\r\nContent-Length : 3\r\n\r\nabc",
    "POST / HTTP/1.1\r\nContent-Length: +3\r\n\r\nabc",
    "POST / HTTP/1.1\r\nContent-Length: 3, 3\r\n\r\nabc",
    "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0x3\r\nabc\r\n0\r\n\r\n",
    "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n0\r\n\r\n",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  ];
  for (const shape of shapes) assert.equal(converse(Buffer.from(shape), Buffer.alloc(0), []).opaque, 1, shape);
});
