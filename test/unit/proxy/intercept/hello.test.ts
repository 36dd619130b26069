import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import test, { type TestContext } from "node:test";
import { type ConnectionOptions, connect } from "node:tls";
import { readClientHello } from "../../../../proxy/intercept/hello.ts";
import { openingOf } from "../../../../proxy/intercept/sniff.ts";
import { listening } from "../../../support/room.ts";

/** The first bytes Node's own TLS client sends. */
async function helloOf(t: TestContext, options: ConnectionOptions): Promise<Buffer> {
  const server = createServer();
  const port = await listening(t, server);
  const accepted = once(server, "connection") as Promise<[Socket]>;
  const client = connect({ port, host: "127.0.0.1", ...options }).on("error", () => undefined);
  t.after(() => client.destroy());
  const [socket] = await accepted;
  const [bytes] = (await once(socket, "data")) as [Buffer];
  return bytes;
}

/** The same hello cut into records of `size` bytes. */
function fragment(hello: Buffer, size: number): Buffer {
  const message = hello.subarray(5);
  const records: Buffer[] = [];
  for (let at = 0; at < message.length; at += size) {
    const part = message.subarray(at, at + size);
    records.push(Buffer.from([0x16, 3, 1, part.length >> 8, part.length & 255]), part);
  }
  return Buffer.concat(records);
}

test("name and protocols are read from a real hello, whole, in pieces and over many records", async (t) => {
  const hello = await helloOf(t, { servername: "Events.Example.com", ALPNProtocols: ["h2", "http/1.1"] });
  const expected = { serverName: "events.example.com", protocols: ["h2", "http/1.1"] };
  assert.deepEqual(readClientHello(hello), expected);
  for (let length = 1; length < hello.length; length += 1)
    assert.equal(readClientHello(hello.subarray(0, length)), "more");
  for (const size of [1, 7, 100]) assert.deepEqual(readClientHello(fragment(hello, size)), expected);
});

test("a hello without name and protocols says so, in TLS 1.2 as well", async (t) => {
  const hello = await helloOf(t, { servername: "", maxVersion: "TLSv1.2" });
  assert.deepEqual(readClientHello(hello), { serverName: undefined, protocols: [] });
});

test("a damaged hello is no hello, and never throws", async (t) => {
  const hello = await helloOf(t, { servername: "a.example", ALPNProtocols: ["x"] });
  for (let at = 0; at < hello.length; at += 1) {
    for (const value of [0, 1, 0x7f, 0xff]) {
      const damaged = Buffer.from(hello);
      damaged[at] = value;
      assert.ok(readClientHello(damaged) !== undefined);
    }
  }
  assert.equal(readClientHello(Buffer.from([0x16, 3, 1, 0, 4, 2, 0, 0, 0])), "other", "a ServerHello");
  assert.equal(readClientHello(Buffer.from([0x15, 3, 1])), "other");
});

test("the first bytes of a tunnel tell what it carries, as soon as they can", () => {
  const kind = (text: string): string | undefined => openingOf(Buffer.from(text, "latin1"))?.kind;
  for (const [text, expected] of [
    ["G", undefined],
    ["GET", undefined],
    ["GET ", "http"],
    ["M-SEARCH * HTTP/1.1", "http"],
    ["PRI * HTTP/2.0", undefined],
    ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0", "http2"],
    ["PRI / HTTP/1.1", "opaque"],
    ["PRI", undefined],
    ["\x05\x01\x00", "opaque"],
    ["SSH-2.0-OpenSSH_9\r\n", "opaque"],
    [`${"A".repeat(30)} `, "opaque"],
    ["\x16\x03", undefined],
    ["\x16\x02", "opaque"],
  ] as const) {
    assert.equal(kind(text), expected, JSON.stringify(text));
  }
});
