import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import test, { type TestContext } from "node:test";
import { newCounts } from "../../../../proxy/intercept/counts.ts";
import { Recorder } from "../../../../proxy/intercept/recorder.ts";
import { join } from "../../../../proxy/intercept/tee.ts";

/** The two ends of a connection on loopback. */
async function connection(t: TestContext): Promise<{ readonly near: Socket; readonly far: Socket }> {
  const server = createServer({ allowHalfOpen: true }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const far = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const [near] = (await once(server, "connection")) as [Socket];
  t.after(() => {
    for (const socket of [near, far]) socket.destroy();
    server.close();
  });
  return { near, far };
}

test("what waits in a stream goes out before what is read meanwhile", async (t) => {
  const client = await connection(t);
  const server = await connection(t);
  client.near.unshift(Buffer.from("first "));
  const seen: string[] = [];
  const ignore = (): void => undefined;
  const watcher = {
    request: (chunk: Buffer): void => void seen.push(String(chunk)),
    requestEnd: ignore,
    answer: ignore,
    answerEnd: ignore,
    close: ignore,
  };
  const side = (socket: Socket) => ({ stream: socket, raw: socket });
  join(side(client.near), side(server.near), watcher, ignore);
  client.near.push(Buffer.from("second ")); // as Node does with what it has read
  client.far.end("third");
  let text = "";
  for await (const chunk of server.far) text += String(chunk);
  assert.equal(text, "first second third");
  assert.equal(seen.join(""), text);
});

test("whether an answer is read is asked for each host, also of a head that is said again", () => {
  const asked: string[] = [];
  const hooks = {
    maxBodyBytes: 100,
    onExchange: () => undefined,
    wantsAnswer: ({ host, port }: { readonly host: string; readonly port: number }): boolean => {
      asked.push(`${host}:${port}`);
      return host === "model.test" && port === 443;
    },
  };
  const recorder = new Recorder(hooks, newCounts());
  const head = { method: "POST", target: "/v1/messages", headers: [] };
  const isKept = (host: string, port: number): boolean =>
    recorder.begin({ scheme: "https", host, port }, head).isAnswerKept;
  const kept = [isKept("model.test", 443), isKept("model.test", 443), isKept("a.test", 443), isKept("model.test", 1)];
  assert.deepEqual(kept, [true, true, false, false]);
  assert.deepEqual(asked, ["model.test:443", "a.test:443", "model.test:1"]);
});
