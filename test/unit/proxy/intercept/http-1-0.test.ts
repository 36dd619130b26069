import assert from "node:assert/strict";
import { createServer, type Socket } from "node:net";
import test, { type TestContext } from "node:test";
import { dialProxy, httpOrigin, listening, proxyRoom, say, until } from "../../../support/room.ts";

interface OldOrigin {
  readonly port: number;
  /** What each connection said. */
  readonly got: string[];
}

/** A server that answers every request alike, once it has `endsWith`, and closes when `closes`. */
async function oldOrigin(
  t: TestContext,
  answer: string,
  { endsWith = "\r\n\r\n", closes = true } = {},
): Promise<OldOrigin> {
  const got: string[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const index = got.push("") - 1;
    socket.on("data", (chunk: Buffer) => {
      got[index] += chunk.toString("latin1");
      if (!(got[index] ?? "").endsWith(endsWith)) return;
      if (closes) socket.end(answer, "latin1");
      else socket.write(answer, "latin1");
    });
    socket.on("end", () => socket.end());
  });
  return { port: await listening(t, server), got };
}

const BODY = "until the server closes\n".repeat(3000);
const ANSWERS = {
  "HTTP/1.0": `HTTP/1.0 200 OK\r\nserver: old\r\nX-Odd:  1\r\n\r\n${BODY}`,
  "HTTP/1.1": `HTTP/1.1 200\r\nConnection: close\r\nX-Odd:  1\r\n\r\n${BODY}`,
} as const;

for (const [version, answer] of Object.entries(ANSWERS)) {
  test(`a request of HTTP/1.0 and an answer of ${version} without a length are those of going direct, byte for byte`, async (t) => {
    const room = await proxyRoom(t);
    const origin = await oldOrigin(t, answer);
    const asked = (target: string): string => `GET ${target} HTTP/1.0\r\nhost: x\r\nX-Old:   1\r\n\r\n`;
    const direct = await say(origin.port, asked("/p?q"));
    assert.equal(await say(room.port, asked(`http://127.0.0.1:${origin.port}/p?q`)), direct);
    assert.equal(direct, answer);
    assert.deepEqual(origin.got, Array(2).fill(asked("/p?q")));
    const [exchange] = room.exchanges;
    assert.deepEqual([exchange?.method, exchange?.target, exchange?.truncated], ["GET", "/p?q", false]);
    assert.deepEqual([...room.answers.values()], [200]);
  });
}

test("the body of a POST of HTTP/1.0 is passed on and recorded, its answer never in chunks", async (t) => {
  const room = await proxyRoom(t);
  const port = await httpOrigin(t, (request, response) => {
    request.resume().on("end", () => {
      response.write(`${request.httpVersion} `);
      response.end("ok");
    });
  });
  const head = `POST http://127.0.0.1:${port}/ HTTP/1.0\r\nContent-Length: 4\r\n\r\n`;
  assert.match(await say(room.port, `${head}body`), /^HTTP\/1\.1 200 OK\r\n(?!.*chunked)[\s\S]*\r\n\r\n1\.0 ok$/);
  assert.equal(Buffer.from(room.exchanges[0]?.body ?? []).toString(), "body");
});

test("a connection of HTTP/1.0 is kept when both sides say so", async (t) => {
  const room = await proxyRoom(t);
  const answer = "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok";
  const origin = await oldOrigin(t, answer, { closes: false });
  const start = `GET http://127.0.0.1:${origin.port}/ HTTP/1.0\r\n`;
  const kept = `${start}Connection: keep-alive\r\n\r\n`;
  assert.equal(await say(room.port, `${kept}${kept}${start}\r\n`), answer.repeat(3));
  assert.equal(room.exchanges.length, 3);
});

test("chunks in HTTP/1.0 are refused, at the beginning of a connection and behind another request", async (t) => {
  const room = await proxyRoom(t);
  const origin = await oldOrigin(t, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", { closes: false });
  const at = `http://127.0.0.1:${origin.port}/`;
  const ordinary = `GET ${at} HTTP/1.1\r\nHost: x\r\n\r\n`;
  for (const more of ["", "Content-Length: 3\r\n", "Connection: keep-alive\r\n"]) {
    const chunked = `POST ${at} HTTP/1.0\r\n${more}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`;
    assert.match(await say(room.port, chunked), /^HTTP\/1\.1 400 /);
    if (more.startsWith("Content-Length")) continue; // there Node's parser refuses both
    assert.match(await say(room.port, ordinary + chunked), /^HTTP\/1\.1 200 OK[\s\S]*\r\n\r\nokHTTP\/1\.1 400 /);
  }
  assert.deepEqual(origin.got, Array(2).fill("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
});

test("behind an ordinary request one of HTTP/1.0 stays one, and its answer comes without chunks and ends", async (t) => {
  const room = await proxyRoom(t);
  const port = await httpOrigin(t, (request, response) => {
    response.write(`<${request.httpVersion}`);
    response.end(">");
  });
  const one = (version: string): string => `GET http://127.0.0.1:${port}/ HTTP/${version}\r\nHost: x\r\n\r\n`;
  const answers = await say(room.port, one("1.1") + one("1.0"));
  assert.match(
    answers,
    /^HTTP\/1\.1 200[\s\S]*\r\n4\r\n<1\.1\r\n1\r\n>\r\n0\r\n\r\nHTTP\/1\.1 200[\s\S]*\r\n\r\n<1\.0>$/,
  );
});

test("an offline proxy answers HTTP/1.0 too, also a client that has ended its side", async (t) => {
  const room = await proxyRoom(t, { sink: () => ({ status: 200, headers: [], body: Buffer.from("sunk") }) });
  const asked = "POST http://a.test/ HTTP/1.0\r\nContent-Length: 4\r\n\r\nbody";
  assert.match(await say(room.port, asked), /^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\nsunk$/);
  assert.equal(Buffer.from(room.exchanges[0]?.body ?? []).toString(), "body");
});

test("a client of HTTP/1.0 that leaves while it waits ends the server's work", async (t) => {
  const room = await proxyRoom(t);
  let asked: Socket | undefined;
  const server = createServer((socket) => {
    asked = socket.resume();
  });
  const port = await listening(t, server);
  const client = await dialProxy(t, room.port);
  client.write(`GET http://127.0.0.1:${port}/ HTTP/1.0\r\n\r\n`);
  await until(() => asked !== undefined, "the server is asked");
  client.destroy();
  await until(() => asked?.destroyed === true, "the server is told");
});
