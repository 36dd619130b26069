import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createServer, type Socket } from "node:net";
import test from "node:test";
import {
  dialProxy,
  httpOrigin,
  listening,
  proxyRoom,
  readAll,
  readHead,
  tlsOrigin,
  until,
} from "../../../support/room.ts";

test("header case, order and duplicates pass in both directions; only what is meant for the proxy stays here", async (t) => {
  const room = await proxyRoom(t);
  let seen = "";
  const port = await listening(
    t,
    createServer((socket) =>
      socket.on("data", (chunk) => {
        seen += chunk.toString("latin1");
        socket.end(
          "HTTP/1.1 299 Quite Fine\r\nsEt-cookie: a\r\nX-One: 1\r\nSet-Cookie: b\r\nContent-length: 2\r\n\r\nok",
        );
      }),
    ),
  );
  const client = await dialProxy(t, room.port);
  client.write(
    `GET http://127.0.0.1:${port}/a?b=%20c HTTP/1.1\r\nACCEPT: */*\r\nProxy-Connection: keep-alive\r\nHost: named.example\r\naccept: x\r\nProxy-Authorization: Basic eA==\r\n\r\n`,
  );
  const head = await readHead(client);
  assert.equal(
    head,
    "HTTP/1.1 299 Quite Fine\r\nsEt-cookie: a\r\nX-One: 1\r\nSet-Cookie: b\r\nContent-length: 2\r\n\r\n",
  );
  assert.equal(seen, "GET /a?b=%20c HTTP/1.1\r\nACCEPT: */*\r\nHost: named.example\r\naccept: x\r\n\r\n");
  assert.deepEqual(
    [room.exchanges[0]?.host, room.exchanges[0]?.port, room.exchanges[0]?.target],
    ["127.0.0.1", port, "/a?b=%20c"],
  );
  assert.deepEqual([...room.answers.values()], [299]);
});

test("chunked bodies with trailers, and 100-continue, pass in both directions", async (t) => {
  const room = await proxyRoom(t);
  const port = await httpOrigin(t, (request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => {
      body += text;
    });
    request.on("end", () => {
      response.writeHead(200, { Trailer: "X-Sum" });
      response.write(`${body} ${request.trailers["x-t"] ?? "none"}`);
      response.addTrailers({ "X-Sum": "5" });
      response.end();
    });
  });
  const client = await dialProxy(t, room.port);
  client.write(
    `POST http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n`,
  );
  assert.match(await readHead(client), /^HTTP\/1\.1 100 Continue\r\n\r\n$/);
  client.write("3\r\nabc\r\n2;ext=1\r\nde\r\n0\r\nX-T: tail\r\n\r\n");
  assert.match(await readHead(client), /Transfer-Encoding: chunked/i);
  let rest = "";
  client.on("data", (chunk) => {
    rest += chunk.toString();
  });
  await until(() => rest.endsWith("\r\n\r\n"), "the answer's trailers");
  assert.match(rest, /abcde tail[\s\S]*X-Sum: 5\r\n\r\n$/);
  assert.equal(Buffer.from(room.exchanges[0]?.body ?? []).toString(), "abcde");
});

test("requests on one connection go out one after the other over one upstream connection", async (t) => {
  const room = await proxyRoom(t);
  const sockets = new Set<Socket>();
  const port = await httpOrigin(t, (request, response) => {
    sockets.add(request.socket);
    response.end(request.url);
  });
  const client = await dialProxy(t, room.port);
  for (const path of ["/1", "/2", "/3"]) {
    client.write(`GET http://127.0.0.1:${port}${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    assert.match(await readHead(client), /^HTTP\/1\.1 200/);
    await until(() => client.read(2) !== null, "the body");
  }
  assert.equal(sockets.size, 1);
  assert.deepEqual(
    room.exchanges.map(({ target }) => target),
    ["/1", "/2", "/3"],
  );
});

test("pipelined requests are all answered, in order", async (t) => {
  const room = await proxyRoom(t);
  const port = await httpOrigin(t, (request, response) => response.end(`<${request.url}>`));
  const client = await dialProxy(t, room.port);
  const one = (path: string, more: string): string =>
    `GET http://127.0.0.1:${port}${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
  client.write(one("/1", "") + one("/2", "") + one("/3", "Connection: close\r\n"));
  const { bytes } = await readAll(client);
  assert.deepEqual(bytes.toString().match(/<\/[123]>/g), ["</1>", "</2>", "</3>"]);
  assert.equal(room.exchanges.length, 3);
});

test("pipelined requests reach a slow server in order, one after the other, over one connection", async (t) => {
  const room = await proxyRoom(t);
  const events: string[] = [];
  const sockets = new Set<Socket>();
  const origin = (name: string): Promise<number> =>
    httpOrigin(t, (request, response) => {
      if (name === "a") sockets.add(request.socket);
      events.push(`${name} ${request.url}`);
      request.resume().on("end", () =>
        setTimeout(() => {
          events.push(`answered ${request.url}`);
          response.end(`<${request.url}>`);
        }, 10),
      );
    });
  const ports = { a: await origin("a"), b: await origin("b") };
  const order = ["a", "a", "b", "a", "a"] as const;
  const one = (name: "a" | "b", index: number): string =>
    `POST http://127.0.0.1:${ports[name]}/${index} HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n${index === 4 ? "Connection: close\r\n" : ""}\r\nbody`;
  const client = await dialProxy(t, room.port);
  client.write(order.map(one).join(""));
  const { bytes } = await readAll(client);
  assert.deepEqual(bytes.toString().match(/<.*?>/g), ["</0>", "</1>", "</2>", "</3>", "</4>"]);
  assert.deepEqual(
    events,
    order.flatMap((name, index) => [`${name} /${index}`, `answered /${index}`]),
  );
  assert.equal(sockets.size, 1);
  assert.deepEqual(
    room.exchanges.map(({ target }) => target),
    ["/0", "/1", "/2", "/3", "/4"],
  );
});

test("what stands behind an answer that ends the connection, a server's or a refusal, is never begun", async (t) => {
  const room = await proxyRoom(t);
  const seen: string[] = [];
  const port = await httpOrigin(t, (request, response) => {
    seen.push(request.url ?? "");
    if (request.url === "/last") response.setHeader("Connection", "close");
    response.end("ok");
  });
  const one = (url: string): string => `GET ${url} HTTP/1.1\r\nHost: x\r\n\r\n`;
  const at = (path: string): string => one(`http://127.0.0.1:${port}${path}`);
  for (const [text, statuses, served] of [
    [at("/1") + at("/last") + at("/never"), ["200", "200"], ["/1", "/last"]],
    [at("/2") + one("ftp://x/") + at("/never"), ["200", "400"], ["/2"]],
    [at("/3") + one("http://127.0.0.1:1/") + at("/never"), ["200", "502"], ["/3"]],
  ] as const) {
    const client = await dialProxy(t, room.port);
    client.write(text);
    const { bytes } = await readAll(client);
    const found = [...bytes.toString().matchAll(/HTTP\/1\.1 ([0-9]{3})/g)].map(([, status]) => status);
    assert.deepEqual([found, seen.splice(0)], [statuses, served]);
  }
});

test("a client that leaves ends what is under way, and what waits behind it is never begun", async (t) => {
  const room = await proxyRoom(t);
  const seen: string[] = [];
  let gone = 0;
  const port = await httpOrigin(t, (request) => {
    seen.push(request.url ?? "");
    request.socket.once("close", () => {
      gone += 1;
    });
  });
  const client = await dialProxy(t, room.port);
  const paths = ["/1", "/2", "/3"];
  client.write(paths.map((path) => `GET http://127.0.0.1:${port}${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(""));
  await until(() => seen.length === 1, "the first is at the server");
  client.destroy();
  await until(() => gone === 1, "the server is told");
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual([seen, room.exchanges.length, room.proxy.counts.hookErrors], [["/1"], 1, 0]);
});

test("https:// in absolute form is opened with TLS by the proxy", async (t) => {
  const room = await proxyRoom(t);
  const port = await tlsOrigin(t, room, (request, response) => response.end(request.url));
  const client = await dialProxy(t, room.port);
  client.write(
    `POST https://127.0.0.1:${port}/v2/track HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
  );
  assert.match((await readAll(client)).bytes.toString(), /\/v2\/track$/);
  assert.deepEqual([room.exchanges[0]?.scheme, room.exchanges[0]?.target], ["https", "/v2/track"]);
});

test("an upstream that cannot be reached gives 502 with its name, and the request is recorded", async (t) => {
  const room = await proxyRoom(t);
  const client = await dialProxy(t, room.port);
  client.write(
    "POST http://no-such-host.invalid/x HTTP/1.1\r\nHost: no-such-host.invalid\r\nContent-Length: 2\r\n\r\n{}",
  );
  assert.match((await readAll(client)).bytes.toString(), /^HTTP\/1\.1 502 [\s\S]*no-such-host\.invalid: /);
  await until(() => room.exchanges.length === 1, "the request is recorded");
  assert.deepEqual([...room.answers.values()], [undefined]);
  assert.equal(room.proxy.counts.upstreamErrors, 1);
});

test("the proxy asked for itself answers: help for a browser, 508 for every one of its names", async (t) => {
  const other = await listening(t, createServer());
  const room = await proxyRoom(t, { refusedPorts: [other] });
  const ask = async (target: string): Promise<string> => {
    const client = await dialProxy(t, room.port);
    client.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    return (await readAll(client)).bytes.toString();
  };
  assert.match(await ask("/"), /^HTTP\/1\.1 200 [\s\S]*waymark's proxy/);
  assert.match(await ask("/favicon.ico"), /^HTTP\/1\.1 404 /);
  assert.match(await ask("ftp://x/"), /^HTTP\/1\.1 400 /);
  for (const host of ["127.0.0.1", "localhost", "[::1]", "0.0.0.0"]) {
    assert.match(await ask(`http://${host}:${room.port}/`), /^HTTP\/1\.1 508 /, host);
  }
  assert.match(await ask(`http://127.0.0.1:${other}/api`), /^HTTP\/1\.1 508 /);
  assert.equal(room.proxy.counts.refused, 5);
  assert.equal(room.exchanges.length, 0);
});

test("an answer cut within its body is cut for the client, never completed", async (t) => {
  const room = await proxyRoom(t);
  const answer = (text: string, end: (socket: Socket) => void): Promise<number> =>
    listening(
      t,
      createServer((socket) => void socket.once("data", () => socket.write(text, () => end(socket)))),
    );
  const early = await answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", (socket) =>
    socket.end(),
  );
  const short = await answer("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello", (socket) => socket.end());
  for (const port of [early, short]) {
    const client = await dialProxy(t, room.port);
    client.write(`GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\n\r\n`);
    const text = (await readAll(client)).bytes.toString();
    assert.match(text, /hello/);
    assert.doesNotMatch(text, /\r\n0\r\n/);
  }
  assert.equal(room.proxy.counts.upstreamErrors, 2);
});

test("an answer until close ends when the server ends", async (t) => {
  const room = await proxyRoom(t);
  const port = await listening(
    t,
    createServer((socket) => void socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nX: y\r\n\r\nall of it"))),
  );
  const client = await dialProxy(t, room.port);
  client.write(`GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\n\r\n`);
  assert.equal((await readAll(client)).bytes.toString(), "HTTP/1.1 200 OK\r\nX: y\r\n\r\nall of it");
});

test("an upgrade switches to bytes both ways, and a refused one is passed on and ends", async (t) => {
  const room = await proxyRoom(t);
  const port = await listening(
    t,
    createServer((socket) => {
      socket.once("data", (head) => {
        const isWanted = head.toString().startsWith("GET /ws ");
        socket.write(
          isWanted
            ? "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"
            : "HTTP/1.1 403 No\r\nContent-Length: 4\r\n\r\nnope",
        );
        socket.on("data", (chunk) => socket.write(chunk));
      });
    }),
  );
  const ask = async (path: string): Promise<Socket> => {
    const client = await dialProxy(t, room.port);
    client.write(
      `GET http://127.0.0.1:${port}${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n`,
    );
    return client;
  };
  const switched = await ask("/ws");
  assert.match(await readHead(switched), /^HTTP\/1\.1 101 /);
  switched.write(Buffer.from([0, 255, 1, 2]));
  await until(() => switched.readableLength === 4, "the echo");
  assert.deepEqual([...(switched.read() as Buffer)], [0, 255, 1, 2]);
  assert.match((await readAll(await ask("/no"))).bytes.toString(), /^HTTP\/1\.1 403 No[\s\S]*nope$/);
  assert.deepEqual([...room.answers.values()], [101, 403]);
});

test("a large upload to a slow reader and a large download keep every byte", async (t) => {
  const room = await proxyRoom(t, { maxBodyBytes: 1024 });
  const body = Buffer.alloc(6 << 20, "0123456789abcdef");
  const port = await httpOrigin(t, (request, response) => {
    const hash = createHash("sha256");
    request.on("data", (chunk: Buffer) => hash.update(chunk));
    request.on("end", () =>
      response.writeHead(200, { "x-sum": hash.digest("hex"), "Content-Length": body.length }).end(body),
    );
  });
  const client = await dialProxy(t, room.port);
  client.write(
    `POST http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  client.write(body);
  const { bytes } = await readAll(client);
  const sum = createHash("sha256").update(body).digest("hex");
  const split = bytes.indexOf("\r\n\r\n") + 4;
  assert.match(bytes.toString("latin1", 0, split), new RegExp(`x-sum: ${sum}`));
  assert.equal(
    createHash("sha256")
      .update(bytes.subarray(bytes.length - body.length))
      .digest("hex"),
    sum,
  );
  assert.deepEqual([room.exchanges[0]?.body.length, room.exchanges[0]?.truncated], [1024, true]);
});

test("a beacon whose sender is gone before there was a connection still reaches the server, once and whole", async (t) => {
  const room = await proxyRoom(t);
  const bodies: string[] = [];
  const port = await httpOrigin(t, (request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => {
      body += text;
    });
    request.on("end", () => {
      bodies.push(body);
      response.end();
    });
  });
  for (let index = 0; index < 20; index += 1) {
    const client = await dialProxy(t, room.port);
    client.write(`POST http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nlast`, () =>
      client.destroy(),
    );
  }
  await until(() => bodies.length === 20 && room.exchanges.length === 20, "all beacons arrived");
  assert.ok(bodies.every((body) => body === "last"));
  assert.ok(room.exchanges.every(({ truncated }) => !truncated));
});

test("heads far beyond Node's own limit pass", async (t) => {
  const room = await proxyRoom(t);
  const port = await listening(
    t,
    createServer((socket) => {
      let seen = "";
      socket.on("data", (chunk) => {
        seen += chunk.toString("latin1");
        if (seen.endsWith("\r\n\r\n"))
          socket.end(`HTTP/1.1 200 OK\r\nX-Len: ${seen.length}\r\nX-Big: ${"z".repeat(90_000)}\r\n\r\n`);
      });
    }),
  );
  const client = await dialProxy(t, room.port);
  client.write(`GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\nX-Big: ${"y".repeat(100_000)}\r\n\r\n`);
  const head = await readHead(client);
  assert.match(head, /X-Len: 100036\r\n/);
  assert.ok(head.length > 90_000);
});

test("many requests over one connection leave no listeners on it", async (t) => {
  const room = await proxyRoom(t);
  const warnings: string[] = [];
  const warn = (warning: Error): void => void warnings.push(warning.message);
  process.on("warning", warn);
  t.after(() => process.off("warning", warn));
  const port = await httpOrigin(t, (_, response) => response.end());
  const client = await dialProxy(t, room.port);
  for (let index = 0; index < 50; index += 1) {
    client.write(`GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\n\r\n`);
    await readHead(client);
  }
  assert.deepEqual(warnings, []);
  assert.equal(room.exchanges.length, 50);
});

test("closing lets a plain request under way end and does not wait for its connection", async (t) => {
  const room = await proxyRoom(t);
  let answer: (() => void) | undefined;
  const port = await httpOrigin(t, (_, response) => {
    answer = () => void response.end("late");
  });
  const client = await dialProxy(t, room.port);
  client.write(`GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\n\r\n`);
  await until(() => answer !== undefined, "the origin has the request");
  const closing = room.proxy.close(60_000);
  await new Promise((resolve) => setImmediate(resolve));
  answer?.();
  assert.match(await readHead(client), / 200 OK/);
  client.resume();
  await closing;
});

test("an answer whose length two parsers could disagree on is told as 502, its status never passed on", async (t) => {
  const room = await proxyRoom(t);
  const answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
  const port = await listening(
    t,
    createServer((socket) => void socket.once("data", () => socket.end(answer))),
  );
  const client = await dialProxy(t, room.port);
  client.write(`GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\n\r\n`);
  assert.match(
    (await readAll(client)).bytes.toString(),
    /^HTTP\/1\.1 502 [\s\S]*both Transfer-Encoding and Content-Length/,
  );
});

test("1xx answers pass with their headers, in order, before the answer proper", async (t) => {
  const room = await proxyRoom(t);
  const interim = [
    "HTTP/1.1 102 Processing\r\nX-Step: 1\r\nx-STEP: 2\r\n\r\n",
    "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\nX-Other: \u00e9\r\n\r\n",
    "HTTP/1.1 104 Upload Resumption Supported\r\nUpload-Draft-Interop-Version: 8\r\n\r\n",
  ];
  const final = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on("data", () => socket.write([...interim, final].join(""), "latin1"));
  });
  const at = `http://127.0.0.1:${await listening(t, server)}/`;
  const client = await dialProxy(t, room.port);
  client.write(`GET ${at} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(2));
  let seen = "";
  client.on("data", (chunk: Buffer) => {
    seen += chunk.toString("latin1");
  });
  const all = [...interim, final].join("").repeat(2);
  await until(() => seen.length >= all.length, "both are answered");
  assert.equal(seen, all);
  assert.equal(connections, 1);
});
