import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import test, { type TestContext } from "node:test";
import { WebSocket, WebSocketServer } from "ws";
import type { InterceptorOptions } from "../../../../proxy/intercept/interceptor.ts";
import type { Exchange } from "../../../../proxy/record/exchange.ts";
import { forwardProxy } from "../../../support/forward-proxy.ts";
import { ask, echo, http2Origin } from "../../../support/http2-room.ts";
import { runProgram } from "../../../support/processes.ts";
import {
  dialProxy,
  httpOrigin,
  listening,
  type ProxyRoom,
  proxyRoom,
  readAll,
  readHead,
  tlsOrigin,
  until,
} from "../../../support/room.ts";

const NEEDS_CURL = { skip: spawnSync("curl", ["--version"]).status === 0 ? false : "no curl here" };
const basic = (user: string, password = ""): string => `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;

/** A proxy that serves the runs A and B. */
function twoRuns(t: TestContext, more: Partial<InterceptorOptions> = {}): Promise<ProxyRoom> {
  return proxyRoom(t, { runOf: (user) => (["A", "B"].includes(user) ? `run ${user}` : undefined), ...more });
}

/** What each request was recorded as, by its target. */
function runsOf({ exchanges }: Pick<ProxyRoom, "exchanges">): Record<string, string | undefined> {
  return Object.fromEntries(exchanges.map(({ target, run }) => [target, run]));
}

const WAYS = [
  ["CONNECT", (user: string, port: number) => ["-p", "-x", `http://${user}:@127.0.0.1:${port}`]],
  ["as it comes", (user: string, port: number) => ["-x", `http://${user}:@127.0.0.1:${port}`]],
  ["SOCKS5", (user: string, port: number) => ["-x", `socks5h://${user}:@127.0.0.1:${port}`]],
] as const;

for (const [how, words] of WAYS) {
  test(`curl by ${how}: the user name of its credentials tells the run, and goes no further`, NEEDS_CURL, async (t) => {
    const room = await twoRuns(t);
    const got: string[] = [];
    const listener: Parameters<typeof httpOrigin>[1] = (request, response) => {
      got.push(request.rawHeaders.join(" "));
      response.end("ok");
    };
    const secure = await tlsOrigin(t, room, listener, "localhost");
    const clear = await httpOrigin(t, listener);
    const curl = async (user: string, url: string): Promise<void> => {
      const { authority, port } = room;
      const { stdout, stderr } = await runProgram(
        "curl",
        ["-q", "-sS", "--noproxy", "", "--cacert", authority.certFile, ...words(user, port), "-d", "x", url],
        {},
      );
      assert.equal(stdout, "ok", stderr);
    };
    await curl("A", `https://localhost:${secure}/a`);
    await curl("B", `https://localhost:${secure}/b`);
    await curl("A", `http://localhost:${clear}/c`);
    await curl("nobody", `https://localhost:${secure}/d`);
    await curl("nobody", `http://localhost:${clear}/e`);
    assert.deepEqual(runsOf(room), { "/a": "run A", "/b": "run B", "/c": "run A", "/d": undefined, "/e": undefined });
    assert.equal(got.length, 5);
    assert.doesNotMatch(got.join("\n"), /authorization/i);
    assert.deepEqual(room.troubles, [
      'the proxy credentials "nobody" name no run; what comes with them is recorded without one',
    ]);
    assert.deepEqual([room.proxy.counts.hookErrors, room.proxy.counts.clientErrors], [0, 0]);
  });
}

test("on one connection in absolute form each request has the run it names", async (t) => {
  const room = await twoRuns(t);
  const clear = await httpOrigin(t, (request, response) => {
    response.end(`<${request.url} ${request.headers["proxy-authorization"]}>`);
  });
  const client = await dialProxy(t, room.port);
  const asked = [["/a", basic("A", "any")], ["/b", basic("B")], ["/none"], ["/odd", "Bearer x"]] as const;
  for (const [index, [path, proof]] of asked.entries()) {
    const last = index === asked.length - 1 ? "Connection: close\r\n" : "";
    const credentials = proof === undefined ? "" : `proxy-AUTHORIZATION: ${proof}\r\n`;
    client.write(`GET http://127.0.0.1:${clear}${path} HTTP/1.1\r\nHost: x\r\n${credentials}${last}\r\n`);
  }
  const { bytes } = await readAll(client);
  assert.deepEqual(bytes.toString().match(/<.*>/g), [
    "</a undefined>",
    "</b undefined>",
    "</none undefined>",
    "</odd undefined>",
  ]);
  assert.deepEqual(runsOf(room), { "/a": "run A", "/b": "run B", "/none": undefined, "/odd": undefined });
  assert.equal(room.troubles.length, 1);
});

/** A tunnel opened with credentials. */
async function tunnelOf(t: TestContext, room: ProxyRoom, { user, target }: { user: string; target: string }) {
  const socket = await dialProxy(t, room.port);
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\nProxy-Authorization: ${basic(user)}\r\n\r\n`);
  assert.match(await readHead(socket), /^HTTP\/1\.1 200/);
  return socket;
}

test("streams of HTTP/2 and messages of WebSockets have the run of their connection", async (t) => {
  const messages: Exchange[] = [];
  const room = await twoRuns(t, { onPassing: (exchange) => void messages.push(exchange) });
  const second = await http2Origin(t, room, { onStream: echo, isClear: true });
  const inside = await tunnelOf(t, room, { user: "A", target: `127.0.0.1:${second}` });
  const session = connectHttp2(`http://127.0.0.1:${second}`, { createConnection: () => inside });
  session.on("error", () => undefined);
  await Promise.all(["/1", "/2"].map((path) => ask(session, { ":method": "POST", ":path": path }, ["x"])));
  session.destroy();
  const server = new WebSocketServer({ noServer: true });
  const { createServer } = await import("node:http");
  const upgrading = createServer().on("upgrade", (request, socket, head) =>
    server.handleUpgrade(request, socket, head, (opened) => opened.on("message", () => opened.close(1000))),
  );
  const port = await listening(t, upgrading);
  const through = await tunnelOf(t, room, { user: "B", target: `127.0.0.1:${port}` });
  const socket = new WebSocket(`ws://127.0.0.1:${port}/s`, { createConnection: () => through });
  await once(socket, "open");
  socket.send("hello");
  await once(socket, "close");
  await until(() => messages.length === 1, "the message is read");
  assert.deepEqual(runsOf(room), { "/1": "run A", "/2": "run A", "/s": "run B" });
  assert.deepEqual([messages[0]?.run, String(messages[0]?.body)], ["run B", "hello"]);
});

test("offline the answered requests have their run too", NEEDS_CURL, async (t) => {
  const room = await twoRuns(t, { sink: () => ({ status: 200, headers: [], body: Buffer.from("sunk") }) });
  const { authority, port } = room;
  for (const [url, user] of [
    ["https://a.test/s", "A"],
    ["http://a.test/c", "B"],
  ] as const) {
    const words = ["-q", "-sS", "--cacert", authority.certFile, "-x", `http://${user}:@127.0.0.1:${port}`, url];
    assert.equal((await runProgram("curl", words)).stdout, "sunk");
  }
  assert.deepEqual(runsOf(room), { "/s": "run A", "/c": "run B" });
});

test("an upstream proxy gets its own credentials and never the run's", async (t) => {
  const other = await forwardProxy(t, "them:secret");
  const room = await twoRuns(t, { via: { url: `http://them:secret@127.0.0.1:${other.port}`, noProxy: "" } });
  const clear = await httpOrigin(t, (_, response) => response.end("ok"));
  const client = await dialProxy(t, room.port);
  const head = `Host: x\r\nProxy-Authorization: ${basic("A")}\r\nConnection: close\r\n\r\n`;
  client.write(`GET http://origin.test:${clear}/c HTTP/1.1\r\n${head}`);
  assert.match((await readAll(client)).bytes.toString(), /ok$/);
  const inside = await tunnelOf(t, room, { user: "B", target: `origin.test:${clear}` });
  inside.write("GET /t HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  assert.match((await readAll(inside)).bytes.toString(), /ok$/);
  assert.deepEqual(runsOf(room), { "/c": "run A", "/t": "run B" });
});

test("without runs credentials count for nothing, and a lookup that throws costs only the name", async (t) => {
  const silent = await proxyRoom(t);
  const throwing = await proxyRoom(t, {
    runOf: () => {
      throw new Error("no such folder");
    },
  });
  const clear = await httpOrigin(t, (_, response) => response.end("ok"));
  for (const room of [silent, throwing]) {
    const client = await dialProxy(t, room.port);
    const head = `Host: x\r\nProxy-Authorization: ${basic("A")}\r\nConnection: close\r\n\r\n`;
    client.write(`GET http://127.0.0.1:${clear}/ HTTP/1.1\r\n${head}`);
    assert.match((await readAll(client)).bytes.toString(), /ok$/);
    assert.deepEqual(runsOf(room), { "/": undefined });
  }
  assert.deepEqual([silent.troubles.length, silent.proxy.counts.hookErrors], [0, 0]);
  assert.deepEqual([throwing.troubles.length, throwing.proxy.counts.hookErrors], [1, 1]);
});
