import assert from "node:assert/strict";
import { constants } from "node:http2";
import { createServer } from "node:net";
import test from "node:test";
import { ask, echo, http2Origin, http2Session } from "../../../support/http2-room.ts";
import { listening, proxyRoom, readAll, secureTunnel, tlsOrigin, tunnel, until } from "../../../support/room.ts";

for (const isClear of [false, true]) {
  const where = isClear ? "in the clear (prior knowledge)" : "inside TLS";
  test(`HTTP/2 ${where}: a request arrives as sent, is recorded with its body, and its answer comes back whole`, async (t) => {
    const room = await proxyRoom(t, { wantsAnswer: () => true });
    const port = await http2Origin(t, room, { onStream: echo, isClear });
    const session = await http2Session(t, room, { port, isClear });
    const body = ["hello ", Buffer.alloc(100_000, "x"), " world"];
    const answer = await ask(session, { ":method": "POST", ":path": "/v1?x=1", "x-a": "b", cookie: "a=1" }, body);
    const text = body.join("");
    assert.deepEqual([answer.status, answer.body, answer.trailers["x-sum"]], [200, text, String(text.length)]);
    await until(() => room.exchanges.length === 1, "the exchange is handed on");
    const [exchange] = room.exchanges;
    const { method, target, scheme, host, truncated, status } = exchange ?? {};
    assert.deepEqual(
      [method, target, scheme, host, exchange?.port, truncated, status],
      ["POST", "/v1?x=1", isClear ? "http" : "https", "127.0.0.1", port, false, 200],
    );
    assert.equal(Buffer.from(exchange?.body ?? []).toString(), text);
    assert.equal(Buffer.from(exchange?.response?.body ?? []).toString(), text);
    const headers = new Map(exchange?.headers);
    assert.equal(headers.get("host"), `127.0.0.1:${port}`);
    assert.equal(headers.get("x-a"), "b");
    assert.equal(
      [...headers.keys()].some((name) => name.startsWith(":")),
      false,
    );
    assert.deepEqual([room.proxy.counts.intercepted, room.proxy.counts.opaque], [1, 0]);
  });
}

test("100 streams at once are recorded each with its own body and status", async (t) => {
  const room = await proxyRoom(t);
  const port = await http2Origin(t, room, {
    onStream: (stream, headers) => {
      stream.on("data", () => undefined);
      stream.on("end", () => {
        stream.respond({ ":status": 200 + (Number(headers["x-n"]) % 5) });
        stream.end("ok");
      });
    },
  });
  const session = await http2Session(t, room, { port });
  const bodyOf = (n: number): string[] => Array.from({ length: 10 }, (_, piece) => `${n}:${piece};`.repeat(n));
  const numbers = Array.from({ length: 100 }, (_, n) => n + 1);
  const answers = await Promise.all(
    numbers.map((n) => ask(session, { ":method": "POST", ":path": `/${n}`, "x-n": String(n) }, bodyOf(n))),
  );
  assert.deepEqual(
    answers.map(({ status }) => status),
    numbers.map((n) => 200 + (n % 5)),
  );
  await until(() => room.answers.size === 100, "all are answered");
  for (const { id, target, body, truncated } of room.exchanges) {
    const n = Number(target.slice(1));
    assert.equal(Buffer.from(body).toString(), bodyOf(n).join(""));
    assert.equal(truncated, false);
    assert.equal(room.answers.get(id), 200 + (n % 5));
  }
  assert.equal(room.proxy.counts.requests, 100);
});

test("the protocol that the server chooses is what the client gets", async (t) => {
  const room = await proxyRoom(t);
  const modern = await http2Origin(t, room, { onStream: echo });
  const classic = await tlsOrigin(t, room, (_, response) => response.end());
  const offer = async (port: number, protocols: string[]): Promise<unknown> =>
    (await secureTunnel(t, room, `127.0.0.1:${port}`, { protocols })).alpnProtocol;
  assert.equal(await offer(modern, ["h2", "http/1.1"]), "h2");
  assert.equal(await offer(modern, ["http/1.1", "h2"]), "h2");
  assert.equal(await offer(classic, ["h2", "http/1.1"]), "http/1.1");
});

test("a stream that either side resets is recorded as far as it came, and the others go on", async (t) => {
  const room = await proxyRoom(t);
  const port = await http2Origin(t, room, {
    onStream: (stream, headers) => {
      if (headers[":path"] === "/refused") stream.close(constants.NGHTTP2_REFUSED_STREAM);
      else if (headers[":path"] === "/whole") echo(stream, headers);
      else stream.on("data", () => undefined);
    },
  });
  const session = await http2Session(t, room, { port });
  const left = session.request({ ":method": "POST", ":path": "/left" });
  left.on("error", () => undefined);
  left.write("half");
  await until(() => room.proxy.counts.requests === 1, "the first has come");
  const refused = session.request({ ":method": "POST", ":path": "/refused" });
  refused.on("error", () => undefined);
  await new Promise((resolve) => refused.once("close", resolve));
  left.close(constants.NGHTTP2_CANCEL); // Node ends the body before it cancels
  assert.equal((await ask(session, { ":method": "POST", ":path": "/whole" }, ["all"])).body, "all");
  await until(() => room.exchanges.length === 3 && room.answers.size === 3, "all three are over");
  const seen = room.exchanges.map(({ id, target, body, truncated }) => [
    target,
    Buffer.from(body).toString(),
    truncated,
    room.answers.get(id),
  ]);
  assert.deepEqual(seen.sort(), [
    ["/left", "half", false, undefined],
    ["/refused", "", true, undefined],
    ["/whole", "all", false, 200],
  ]);
});

test("a client that is gone right after its last request: the origin gets it and it is recorded", async (t) => {
  const room = await proxyRoom(t);
  const got: string[] = [];
  const port = await http2Origin(t, room, {
    onStream: (stream) => {
      let body = "";
      stream.on("data", (chunk: Buffer) => {
        body += chunk.toString();
      });
      stream.on("end", () => got.push(body));
    },
  });
  const through = await secureTunnel(t, room, `127.0.0.1:${port}`, { protocols: ["h2"] });
  const session = await http2Session(t, room, { port, through });
  const stream = session.request({ ":method": "POST", ":path": "/beacon" });
  stream.on("error", () => undefined);
  stream.end("last words", () => setImmediate(() => through.end()));
  await until(() => got.length === 1 && room.exchanges.length === 1, "it came through");
  assert.deepEqual([got[0], Buffer.from(room.exchanges[0]?.body ?? []).toString()], ["last words", "last words"]);
});

test("garbage behind the preface passes unchanged both ways, is counted, and is no error", async (t) => {
  const room = await proxyRoom(t);
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on("error", () => undefined);
    socket.pipe(socket);
  });
  const client = await tunnel(t, room, `127.0.0.1:${await listening(t, server)}`);
  const bytes = Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), Buffer.alloc(5000, 0xa5)]);
  client.end(bytes);
  assert.ok((await readAll(client)).bytes.equals(bytes));
  await until(() => room.proxy.counts.opaque === 1, "it is counted");
  assert.equal(room.proxy.counts.hookErrors, 0);
});

test("a body over the cap flows on whole and is kept up to the cap", async (t) => {
  const room = await proxyRoom(t, { maxBodyBytes: 1000 });
  const port = await http2Origin(t, room, { onStream: echo });
  const session = await http2Session(t, room, { port });
  const { trailers } = await ask(session, { ":method": "POST", ":path": "/" }, [Buffer.alloc(300_000, 1)]);
  assert.equal(trailers["x-sum"], "300000");
  await until(() => room.exchanges.length === 1, "it is recorded");
  assert.deepEqual([room.exchanges[0]?.body.length, room.exchanges[0]?.truncated], [1000, true]);
});

test("closing lets the streams of a connection end, and ends an idle connection at once", async (t) => {
  const room = await proxyRoom(t);
  let finish: () => void = () => undefined;
  const ended: string[] = [];
  const port = await http2Origin(t, room, {
    onStream: (stream, headers) => {
      stream.session?.once("close", () => ended.push(String(headers[":path"])));
      stream.respond({ ":status": 200 });
      stream.write("first ");
      if (headers[":path"] === "/idle") stream.end();
      else finish = () => stream.end("last");
    },
  });
  const [idle, busy] = [await http2Session(t, room, { port }), await http2Session(t, room, { port })];
  await ask(idle, { ":path": "/idle" });
  const answer = ask(busy, { ":path": "/busy" });
  await until(() => room.answers.size === 2, "both answers have begun");
  const closed = room.proxy.close(10_000);
  await until(() => ended.length === 1, "one is ended");
  assert.deepEqual(ended, ["/idle"]);
  finish();
  assert.equal((await answer).body, "first last");
  await closed;
});
