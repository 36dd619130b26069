import assert from "node:assert/strict";
import { createServer, type Socket } from "node:net";
import test, { type TestContext } from "node:test";
import { judgeBeginning } from "../../../../proxy/intercept/opening-head.ts";
import { forwardProxy } from "../../../support/forward-proxy.ts";
import {
  dialProxy,
  httpOrigin,
  listening,
  type ProxyRoom,
  proxyRoom,
  readAll,
  say,
  until,
} from "../../../support/room.ts";

interface RawOrigin {
  readonly port: number;
  /** Each connection's bytes. */
  readonly got: string[];
}

/** A server that takes any bytes, and answers each head it has seen, once what it has is whole. */
async function rawOrigin(
  t: TestContext,
  answer: (socket: Socket, head: string) => void = usual,
  isWhole: (text: string) => boolean = () => true,
): Promise<RawOrigin> {
  const got: string[] = [];
  const server = createServer((socket) => {
    const index = got.push("") - 1;
    let answered = 0;
    socket.on("data", (chunk) => {
      got[index] += chunk.toString("latin1");
      const text = got[index] ?? "";
      const heads = [...text.matchAll(/^.{0,200} HTTP\/1\.1\r\n/gm)].filter((head) =>
        text.includes("\r\n\r\n", head.index),
      );
      if (!isWhole(text)) return;
      for (const [head] of heads.slice(answered)) answer(socket, head);
      answered = heads.length;
    });
    socket.on("end", () => socket.end());
  });
  return { port: await listening(t, server), got };
}

function usual(socket: Socket, head: string, more = ""): void {
  const body = `<${head.split(" ").slice(0, 2).join(" ")}>`;
  socket.write(`HTTP/1.1 299 Odd  Reason\r\nX-Fold: a\r\n b\r\n${more}content-LENGTH: ${body.length}\r\n\r\n${body}`);
}

const BIG = "y".repeat(1_200_000);
const FOLDED = "X-First: 1\r\nx-FOLD:  one\r\n\ttwo\r\n   three \r\nX-Last: 2\r\n";
const ODD = [
  ["a method Node does not know", "BREW", "X-Any: \u00e9\r\n", ""],
  ["a method in small letters", "get", "", ""],
  ["a folded header", "GET", FOLDED, ""],
  ["a folded header and a body", "POST", `${FOLDED}Content-Length: 5\r\n`, "hello"],
  [
    "a body in chunks with trailers",
    "BREW",
    "Transfer-Encoding: chunked\r\n",
    "5;x=1\r\nhello\r\n0\r\nX-After: 1\r\n\r\n",
  ],
  ["a head over 1 MB", "GET", `X-Big: ${BIG}\r\n`, ""],
] as const;

for (const [what, method, lines, body] of ODD) {
  test(`${what}: the bytes are those of going direct, and the request is recorded`, async (t) => {
    const room = await proxyRoom(t);
    const asked = (target: string, proxyLines = ""): string =>
      `${method} ${target} HTTP/1.1\r\n${proxyLines}Host: h\r\n${lines}\r\n${body}`;
    const end = (socket: Socket, head: string): void => {
      usual(socket, head, "Connection: close\r\n");
      socket.end();
    };
    const origin = await rawOrigin(t, end, ({ length }) => length === asked("/p?q").length);
    const direct = await say(origin.port, asked("/p?q"));
    const forProxy = "Proxy-Connection: keep-alive\r\nproxy-authorization: Basic\r\n  YTpi\r\n";
    assert.equal(await say(room.port, asked(`http://127.0.0.1:${origin.port}/p?q`, forProxy)), direct);
    assert.match(direct, /^HTTP\/1\.1 299 Odd {2}Reason\r\nX-Fold: a\r\n b\r\n[\s\S]*\/p\?q>$/);
    assert.equal(origin.got[1], origin.got[0]);
    assert.equal(origin.got[0], asked("/p?q"));
    await until(() => room.exchanges.length === 1, "it is recorded");
    const [exchange] = room.exchanges;
    const known = [
      exchange?.method,
      exchange?.target,
      exchange?.truncated,
      Buffer.from(exchange?.body ?? []).toString(),
    ];
    assert.deepEqual(known, [method, "/p?q", false, body === "" ? "" : "hello"]);
    assert.deepEqual(
      [room.proxy.counts.clientErrors, room.proxy.counts.plain, room.proxy.counts.hookErrors],
      [0, 1, 0],
    );
  });
}

test("pipelined odd requests to two servers each reach their own, in order, and an ordinary one may follow", async (t) => {
  const room = await proxyRoom(t);
  const [one, two] = [await rawOrigin(t), await rawOrigin(t)];
  const clear = await httpOrigin(t, (request, response) => response.end(`(${request.method} ${request.url})`));
  const at = (port: number, path: string): string => `http://127.0.0.1:${port}${path}`;
  const text = [
    `BREW ${at(one.port, "/a")} HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc`,
    `BREW ${at(two.port, "/b")} HTTP/1.1\r\nHost: x\r\n\r\n`,
    `POST ${at(one.port, "/c")} HTTP/1.1\r\nHost: x\r\nX-Fold: 1\r\n 2\r\nContent-Length: 2\r\n\r\nde`,
    `GET ${at(clear, "/d")} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
  ].join("");
  const [whole, cut] = [await say(room.port, text), await sayByPieces(t, room, text)];
  for (const answers of [whole, cut]) {
    assert.deepEqual(answers.match(/<.*?>|\(.*?\)/g), ["<BREW /a>", "<BREW /b>", "<POST /c>", "(GET /d)"]);
  }
  const first = ["BREW /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc", text.slice(text.indexOf("POST"))];
  assert.equal(one.got[0], first[0]);
  assert.deepEqual(two.got, Array(2).fill("BREW /b HTTP/1.1\r\nHost: x\r\n\r\n"), "nothing of the others");
  assert.equal(room.exchanges.length, 8);
});

/** The same, every byte on its own. */
async function sayByPieces(t: TestContext, room: ProxyRoom, text: string): Promise<string> {
  const socket = await dialProxy(t, room.port);
  socket.setNoDelay(true);
  const answer = readAll(socket);
  for (const byte of Buffer.from(text)) {
    socket.write(Buffer.from([byte]));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return (await answer).bytes.toString("latin1");
}

test("requests on which two parsers could disagree, and chunks that are none, stay refused", async (t) => {
  const room = await proxyRoom(t);
  const origin = await rawOrigin(t, () => undefined);
  const start = `BREW http://127.0.0.1:${origin.port}/ HTTP/1.1\r\nHost: x\r\n`;
  for (const head of [
    `${start}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc`,
    `${start}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc`,
    `${start}Content-Length: 3\r\nTransfer-Encoding:\r\n chunked\r\n\r\nabc`,
    `${start}X-Odd : 1\r\n\r\n`,
  ]) {
    assert.match(await say(room.port, head), /^HTTP\/1\.1 400 /);
  }
  assert.deepEqual(origin.got, []);
  assert.match(await say(room.port, `${start}Transfer-Encoding: chunked\r\n\r\nnone\r\n`), /^HTTP\/1\.1 400 /);
  assert.equal(room.proxy.counts.clientErrors, 5);
});

test("an answer cut in its body is cut, one until close ends, and a server that says nothing is 502", async (t) => {
  const room = await proxyRoom(t);
  const answers: Readonly<Record<string, string>> = {
    "/cut": "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf",
    "/close": "HTTP/1.1 200 OK\r\n\r\nall there is",
    "/switch": "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nswitched",
    "/nothing": "",
  };
  const origin = await rawOrigin(t, (socket, head) => void socket.end(answers[head.split(" ")[1] ?? ""] ?? ""));
  for (const [path, wanted] of Object.entries(answers)) {
    const answer = await say(room.port, `BREW http://127.0.0.1:${origin.port}${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    if (wanted === "") assert.match(answer, /^HTTP\/1\.1 502 /);
    else assert.equal(answer, wanted);
  }
  const gone = await say(room.port, "BREW http://127.0.0.1:1/ HTTP/1.1\r\nHost: x\r\n\r\n");
  assert.match(gone, /^HTTP\/1\.1 502 /);
});

test("after a switch of protocols the bytes go both ways", async (t) => {
  const room = await proxyRoom(t);
  const server = createServer((socket) => {
    socket.once("data", () => {
      socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\nhello ");
      socket.pipe(socket);
    });
  });
  const port = await listening(t, server);
  const client = await dialProxy(t, room.port);
  let seen = "";
  client.on("data", (chunk: Buffer) => {
    seen += chunk.toString("latin1");
  });
  client.write(`BREW http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n`);
  await until(() => seen.includes("hello "), "it is switched");
  client.write(Buffer.from([0, 255, 1]));
  await until(() => seen.endsWith("hello \u0000\u00ff\u0001"), "bytes come back");
});

test("a large odd upload to a slow reader keeps every byte, and the connection goes on", async (t) => {
  const room = await proxyRoom(t, { maxBodyBytes: 1000 });
  const size = 8 << 20;
  let got = 0;
  const server = createServer((socket) => {
    socket.on("data", (chunk) => {
      got += chunk.length;
      socket.pause();
      setTimeout(() => socket.resume(), 1);
      if (got >= size) socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    });
  });
  const port = await listening(t, server);
  const after = await rawOrigin(t);
  const client = await dialProxy(t, room.port);
  client.write(`BREW http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\nContent-Length: ${size}\r\n\r\n`);
  client.write(Buffer.alloc(size));
  client.write(`BREW http://127.0.0.1:${after.port}/after HTTP/1.1\r\nConnection: close\r\n\r\n`);
  const { bytes } = await readAll(client);
  assert.match(
    bytes.toString(),
    /^HTTP\/1\.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP\/1\.1 299 [\s\S]*<BREW \/after>$/,
  );
  assert.ok(got > size);
  assert.match(after.got[0] ?? "", new RegExp(`^BREW /after HTTP/1.1\r\nHost: 127.0.0.1:${after.port}\r\n`));
});

test("a client that has ended its side gets the whole answer, however large", async (t) => {
  const room = await proxyRoom(t);
  const size = 8 << 20;
  const origin = await rawOrigin(t, (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`);
    socket.write(Buffer.alloc(size, 7));
  });
  const client = await dialProxy(t, room.port);
  client.end(`BREW http://127.0.0.1:${origin.port}/ HTTP/1.1\r\nHost: x\r\n\r\n`);
  const { bytes, error } = await readAll(client);
  assert.deepEqual([bytes.length - bytes.indexOf(7), error], [size, undefined]);
});

test("a client that ends within its body ends so for the server, whose answer it gets", async (t) => {
  const room = await proxyRoom(t);
  let got = "";
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on("data", (chunk) => {
      got += chunk.toString();
    });
    socket.on("end", () => socket.end("HTTP/1.1 400 Too Short\r\nContent-Length: 0\r\n\r\n"));
  });
  const port = await listening(t, server);
  const client = await dialProxy(t, room.port);
  client.end(`BREW http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc`);
  assert.match((await readAll(client)).bytes.toString(), /^HTTP\/1\.1 400 Too Short\r\n/);
  assert.match(got, /\r\n\r\nabc$/);
  assert.equal(room.exchanges[0]?.truncated, true);
});

test("the upstream proxy gets odd requests in absolute form, with its own credentials", async (t) => {
  const other = await forwardProxy(t, "them:secret");
  const room = await proxyRoom(t, { via: { url: `http://them:secret@127.0.0.1:${other.port}`, noProxy: "" } });
  const origin = await rawOrigin(t);
  const head = "Host: x\r\nX-Fold: 1\r\n 2\r\nConnection: close\r\n\r\n";
  const answer = await say(room.port, `BREW http://origin.test:${origin.port}/u HTTP/1.1\r\n${head}`);
  assert.match(answer, /<BREW \/u>$/);
  assert.deepEqual(other.taken(), [`BREW http://origin.test:${origin.port}/u HTTP/1.1`]);
});

test("own ports, and what an offline proxy cannot answer, are refused", async (t) => {
  const room = await proxyRoom(t);
  assert.match(await say(room.port, `BREW http://localhost:${room.port}/ HTTP/1.1\r\n\r\n`), /^HTTP\/1\.1 508 /);
  const offline = await proxyRoom(t, { sink: () => ({ status: 200, headers: [], body: Buffer.alloc(0) }) });
  assert.match(await say(offline.port, "BREW http://a.test/ HTTP/1.1\r\n\r\n"), /^HTTP\/1\.1 501 /);
});

test("what a connection begins with is told as soon as it can be, and not before", () => {
  const rows: readonly (readonly [bytes: string, kind: string | undefined])[] = [
    ["", undefined],
    ["B", undefined],
    ["BREW http://x/ HTTP/1.1\r\n", undefined],
    ["BREW http://x/ HTTP/1.1\r\n\r\n", "odd"],
    ["BREW http://x/ HTTP/1.1\n\n", "odd"],
    ["BREW /x HTTP/1.1\r\n\r\n", "ordinary"],
    ["BREW ftp://x/ HTTP/1.1\r\n\r\n", "ordinary"],
    ["GET http://x/ HTTP/1.1\r\nA: 1\r\n\r\n", "ordinary"],
    ["GET http://x/ HTTP/1.1\r\nA: 1\r\n\r\n folded is the body", "ordinary"],
    ["GET http://x/ HTTP/1.1\r\nA: 1\r\n 2\r\n\r\n", "odd"],
    ["GET http://x/ HTTP/1.0\r\n\r\n", "odd"],
    ["GET http://x/ HTTP/1.0\n\n", "odd"],
    ["GET http://x/ HTTP/1.1\r\nA: HTTP/1.0\r\n\r\n", "ordinary"],
    ["CONNECT x:443 HTTP/1.1\r\n", "ordinary"],
    ["\u0016\u0003", "ordinary"],
    [`GET http://x/ HTTP/1.1\r\nA: ${"a".repeat(9 << 20)}`, "ordinary"],
  ];
  for (const [bytes, kind] of rows) assert.equal(judgeBeginning(Buffer.from(bytes))?.kind, kind, bytes.slice(0, 60));
});
