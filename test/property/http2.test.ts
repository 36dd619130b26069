import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, constants, createServer } from "node:http2";
import { type AddressInfo, connect as connectTcp, createServer as createTcp } from "node:net";
import test from "node:test";
import fc from "fast-check";
import { newCounts } from "../../proxy/intercept/counts.ts";
import { Http2Conversation } from "../../proxy/intercept/http2-conversation.ts";
import { PREFACE } from "../../proxy/intercept/http2-frames.ts";
import { Recorder } from "../../proxy/intercept/recorder.ts";
import type { Exchange } from "../../proxy/record/exchange.ts";
import { ask } from "../support/http2-room.ts";

interface Traffic {
  readonly requests: Buffer;
  readonly answers: Buffer;
}

const PATHS = Array.from({ length: 12 }, (_, n) => `/path-${n}`);
const bodyOf = (path: string): string => `${path};`.repeat(path.length * 700);
const answerOf = (path: string): string => `answer to ${path} `.repeat(500);

/** The bytes of both directions of a connection between Node's own client and server, with some of everything in it. */
async function madeByNode(): Promise<Traffic> {
  const server = createServer({ settings: { headerTableSize: 200 }, paddingStrategy: constants.PADDING_STRATEGY_MAX });
  server.on("stream", (stream, headers) => {
    stream.resume().on("end", () => {
      stream.additionalHeaders({ ":status": 103, link: "</x>" });
      stream.once("wantTrailers", () => stream.sendTrailers({ "x-trailer": "t" }));
      stream.respond({ ":status": 201, "x-long": "v".repeat(300) }, { waitForTrailers: true });
      stream.end(answerOf(String(headers[":path"])));
    });
  });
  const requests: Buffer[] = [];
  const answers: Buffer[] = [];
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const relay = createTcp((client) => {
    const upstream = connectTcp((server.address() as AddressInfo).port, "127.0.0.1");
    client.on("data", (chunk) => {
      requests.push(chunk);
      upstream.write(chunk);
    });
    upstream.on("data", (chunk) => {
      answers.push(chunk);
      client.write(chunk);
    });
    client.on("close", () => upstream.end()).on("error", () => undefined);
    upstream.on("close", () => client.end()).on("error", () => undefined);
  });
  relay.listen(0, "127.0.0.1");
  await once(relay, "listening");
  const session = connect(`http://127.0.0.1:${(relay.address() as AddressInfo).port}`, {
    paddingStrategy: constants.PADDING_STRATEGY_MAX,
  });
  const big = { "x-big": "ab0~".repeat(9000), "x-odd": String.fromCharCode(0xe9, 0xff) }; // over several frames
  await Promise.all(
    PATHS.map((path) => ask(session, { ":method": "POST", ":path": path, "x-same": "s", ...big }, [bodyOf(path)])),
  );
  session.destroy();
  await once(session, "close");
  relay.close();
  server.close();
  return { requests: Buffer.concat(requests), answers: Buffer.concat(answers) };
}

interface Seen {
  readonly exchanges: readonly Exchange[];
  readonly answers: ReadonlyMap<string, number | undefined>;
  readonly opaque: number;
}

function converse({ requests, answers }: Traffic, cuts: readonly number[]): Seen {
  const exchanges: Exchange[] = [];
  const statuses = new Map<string, number | undefined>();
  const counts = newCounts();
  const hooks = {
    maxBodyBytes: 1 << 20,
    wantsAnswer: () => true,
    onExchange: (exchange: Exchange) => void exchanges.push(exchange),
    onAnswer: (id: string, status: number | undefined) => void statuses.set(id, status),
  };
  const conversation = new Http2Conversation(new Recorder(hooks, counts), { scheme: "http", host: "h", port: 80 });
  for (const piece of cut(requests, cuts)) conversation.request(piece);
  for (const piece of cut(answers, cuts)) conversation.answer(piece);
  conversation.requestEnd();
  conversation.answerEnd();
  conversation.close();
  return { exchanges, answers: statuses, opaque: counts.opaque };
}

function cut(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set(cuts.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...places].map((from, index) => bytes.subarray(from, places[index] ?? bytes.length));
}

const cuts = fc.array(fc.nat(2_000_000), { maxLength: 200 });
const text = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString();

test("what Node's client and server say to each other is read whole, however the bytes are cut", async () => {
  const traffic = await madeByNode();
  fc.assert(
    fc.property(cuts, (places) => {
      const { exchanges, answers, opaque } = converse(traffic, places);
      assert.equal(opaque, 0);
      assert.deepEqual(exchanges.map(({ target }) => target).sort(), [...PATHS].sort());
      for (const { id, target, body, truncated, headers, response } of exchanges) {
        assert.deepEqual([text(body), truncated, answers.get(id)], [bodyOf(target), false, 201]);
        assert.deepEqual([text(response?.body), response?.truncated], [answerOf(target), false]);
        assert.equal(new Map(headers).get("x-big"), "ab0~".repeat(9000));
        assert.equal(new Map(headers).get("x-odd"), String.fromCharCode(0xe9, 0xff));
        assert.equal(new Map(response?.headers).get("x-long"), "v".repeat(300));
        assert.equal(new Map(response?.headers).has("x-trailer"), false);
      }
    }),
    { numRuns: 30 },
  );
});

test("bytes overwritten anywhere never throw, and no exchange comes twice", async () => {
  const traffic = await madeByNode();
  const damage = fc.array(fc.tuple(fc.nat(2_000_000), fc.uint8Array({ minLength: 1, maxLength: 12 })), {
    maxLength: 5,
  });
  fc.assert(
    fc.property(damage, damage, cuts, (inRequests, inAnswers, places) => {
      const broken = { requests: damaged(traffic.requests, inRequests), answers: damaged(traffic.answers, inAnswers) };
      const { exchanges } = converse(broken, places);
      assert.equal(new Set(exchanges.map(({ id }) => id)).size, exchanges.length);
    }),
    { numRuns: 60 },
  );
});

test("garbage of any kind behind a preface never throws", () => {
  const frame = fc
    .tuple(fc.nat(12), fc.nat(255), fc.nat(4), fc.uint8Array({ maxLength: 60 }))
    .map(([type, flags, stream, payload]) => frameOf({ type, flags, stream, payload }));
  const settings = frameOf({ type: 4, flags: 0, stream: 0, payload: new Uint8Array() });
  const stream = fc.array(frame, { maxLength: 30 }).map((frames) => Buffer.concat([settings, ...frames]));
  fc.assert(
    fc.property(stream, stream, fc.uint8Array({ maxLength: 50 }), cuts, (requests, answers, tail, places) => {
      const { exchanges, answers: told } = converse(
        { requests: Buffer.concat([PREFACE, requests, tail]), answers: Buffer.concat([answers, tail]) },
        places,
      );
      assert.equal(told.size, exchanges.length);
    }),
  );
});

function damaged(bytes: Buffer, places: readonly (readonly [number, Uint8Array])[]): Buffer {
  const copy = Buffer.from(bytes);
  for (const [at, piece] of places) copy.set(piece.subarray(0, copy.length - (at % copy.length)), at % copy.length);
  return copy;
}

interface FrameParts {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Uint8Array;
}

function frameOf({ type, flags, stream, payload }: FrameParts): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

const GET_ROOT = Buffer.from([0x82, 0x84, 0x86]); // indexed: GET, /, http
const SETTINGS = frameOf({ type: 4, flags: 0, stream: 0, payload: new Uint8Array() });

/** What becomes of one request that is `frames`, answered with 200 at its end. */
function exchangeOf(frames: readonly FrameParts[], answers: readonly FrameParts[] = []): Seen {
  return converse(
    {
      requests: Buffer.concat([PREFACE, SETTINGS, ...frames.map(frameOf)]),
      answers: Buffer.concat([SETTINGS, ...answers.map(frameOf)]),
    },
    [],
  );
}

test("headers may come with priority, padding and continuations; data with padding", () => {
  const padded = Buffer.concat([Buffer.from([3, 0, 0, 0, 0, 9]), GET_ROOT.subarray(0, 1), Buffer.alloc(3)]);
  const { exchanges, opaque } = exchangeOf([
    { type: 1, flags: 0x28, stream: 1, payload: padded },
    { type: 9, flags: 0, stream: 1, payload: GET_ROOT.subarray(1, 2) },
    { type: 9, flags: 4, stream: 1, payload: GET_ROOT.subarray(2) },
    { type: 0, flags: 8, stream: 1, payload: Buffer.from("\u0002bodyzz") },
    { type: 8, flags: 0, stream: 1, payload: Buffer.alloc(4, 1) },
    { type: 0, flags: 9, stream: 1, payload: Buffer.from("\u0000!") },
  ]);
  assert.equal(opaque, 0);
  assert.deepEqual(
    exchanges.map(({ method, target, body, truncated }) => [method, target, text(body), truncated]),
    [["GET", "/", "body!", false]],
  );
});

test("a frame within a header block, or more padding than bytes, ends the reading and is counted once", () => {
  const begun = { type: 1, flags: 0, stream: 1, payload: GET_ROOT };
  for (const frames of [
    [begun, { type: 0, flags: 0, stream: 1, payload: Buffer.from("x") }],
    [begun, { type: 8, flags: 0, stream: 0, payload: Buffer.alloc(4) }],
    [begun, { type: 9, flags: 4, stream: 3, payload: GET_ROOT }],
    [{ type: 0, flags: 8, stream: 1, payload: Buffer.from([9, 1]) }],
    [{ type: 1, flags: 12, stream: 1, payload: Buffer.from([9, 1]) }],
    [{ type: 9, flags: 4, stream: 1, payload: GET_ROOT }],
  ]) {
    assert.deepEqual([exchangeOf(frames).opaque, exchangeOf(frames).exchanges.length], [1, 0]);
  }
});

test("a reset within the body cuts the request; GOAWAY ends what the server will not look at", () => {
  const head = (stream: number): FrameParts => ({ type: 1, flags: 4, stream, payload: GET_ROOT });
  const data = (stream: number): FrameParts => ({ type: 0, flags: 0, stream, payload: Buffer.from("part") });
  const reset = exchangeOf([head(1), data(1), { type: 3, flags: 0, stream: 1, payload: Buffer.alloc(4) }]);
  assert.deepEqual(
    reset.exchanges.map(({ body, truncated }) => [text(body), truncated]),
    [["part", true]],
  );
  const goAway = { type: 7, flags: 0, stream: 0, payload: Buffer.from([0, 0, 0, 1, 0, 0, 0, 0]) };
  const answer = { type: 1, flags: 5, stream: 1, payload: Buffer.from([0x88]) };
  const ended = { type: 0, flags: 1, stream: 1, payload: Buffer.from("end") };
  const seen = exchangeOf([head(1), head(3), ended, data(3)], [goAway, answer]);
  const outcome = seen.exchanges.map(({ id, body, truncated }) => [text(body), truncated, seen.answers.get(id)]);
  assert.deepEqual(outcome.sort(), [
    ["end", false, 200],
    ["part", true, undefined],
  ]);
});
