import assert from "node:assert/strict";
import test from "node:test";
import { gzipSync } from "node:zlib";
import { AnswerBudget, AnswerCopy } from "../../../../proxy/intercept/answer-copy.ts";
import { at, recordsOf } from "../../../support/records.ts";
import {
  dialProxy,
  httpOrigin,
  type ProxyRoom,
  proxyRoom,
  readAll,
  secureTunnel,
  tlsOrigin,
  until,
} from "../../../support/room.ts";

const isModel = ({ target }: { target: string }): boolean => target === "/v1/messages";
const BODY = '{"model":"m","messages":[{"role":"user","content":"hi"}]}';

function request(target: string, host = "x"): string {
  return `POST ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`;
}

function textOf(room: ProxyRoom): string | undefined {
  const body = room.exchanges[0]?.response?.body;
  return body === undefined ? undefined : Buffer.from(body).toString("utf8");
}

const STREAM = [
  'event: message_start\ndata: {"type":"message_start","message":{"id":"m1","model":"m","usage":{"input_tokens":7}}}\n\n',
  'data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t1","name":"open","input":{}}}\n\n',
  'data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\\"a\\":\\"ž\\"}"}}\n\n',
  'data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":3}}\n\ndata: {"type":"message_stop"}\n\n',
];

test("a streamed answer inside TLS is handed on whole when it ends; the client gets every piece as it comes", async (t) => {
  const room = await proxyRoom(t, { wantsAnswer: isModel });
  let goOn: () => void = () => undefined;
  const port = await tlsOrigin(t, room, (_, response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    response.write(STREAM[0]);
    goOn = () => {
      for (const piece of STREAM.slice(1)) response.write(piece);
      response.end();
    };
  });
  const client = await secureTunnel(t, room, `127.0.0.1:${port}`);
  let seen = "";
  client.on("data", (chunk: Buffer) => {
    seen += chunk.toString("utf8");
  });
  client.write(request("/v1/messages"));
  await until(() => seen.includes("message_start"), "the first piece reaches the client at once");
  assert.equal(room.exchanges.length, 0, "the exchange waits for its answer");
  goOn();
  await until(() => room.exchanges.length === 1, "the exchange is handed on");
  assert.equal(textOf(room), STREAM.join(""));
  assert.equal(room.exchanges[0]?.response?.truncated, false);
  const [whole, call] = recordsOf(room.exchanges[0] as NonNullable<(typeof room.exchanges)[0]>);
  assert.deepEqual(
    [whole?.["name"], call?.["name"], call?.["data"]],
    ["messages", "tool_call", { name: "open", arguments: { a: "ž" }, id: "t1" }],
  );
});

test("an answer that breaks off gives what came, and its record says so", async (t) => {
  const room = await proxyRoom(t, { wantsAnswer: isModel });
  const port = await httpOrigin(t, (incoming, response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    response.write(STREAM.slice(0, 3).join(""));
    incoming.on("end", () => setImmediate(() => response.destroy()));
    incoming.resume();
  });
  const client = await dialProxy(t, room.port);
  client.write(request(`http://127.0.0.1:${port}/v1/messages`, `127.0.0.1:${port}`));
  await readAll(client);
  await until(() => room.exchanges.length === 1, "the exchange is handed on");
  const [exchange] = room.exchanges;
  assert.equal(exchange?.response?.truncated, true);
  const records = recordsOf(exchange as NonNullable<typeof exchange>);
  assert.equal(records[1]?.["name"], "tool_call");
  assert.match(JSON.stringify(records[0]?.["$capture"]), /the end of the answer is missing/);
});

test("a gzipped JSON answer to a plain request is read", async (t) => {
  const room = await proxyRoom(t, { wantsAnswer: isModel });
  const answer = gzipSync(
    '{"id":"m2","model":"m","content":[],"stop_reason":"end_turn","usage":{"input_tokens":5,"output_tokens":2}}',
  );
  const port = await httpOrigin(t, (_, response) => {
    response.writeHead(200, { "Content-Encoding": "gzip", "Content-Length": answer.length }).end(answer);
  });
  const client = await dialProxy(t, room.port);
  client.write(request(`http://127.0.0.1:${port}/v1/messages`, `127.0.0.1:${port}`));
  await readAll(client);
  await until(() => room.exchanges.length === 1, "the exchange is handed on");
  const [record] = recordsOf(room.exchanges[0] as NonNullable<(typeof room.exchanges)[0]>);
  const values = ["input_tokens", "output_tokens", "stop_reason"].map((key) => at(record, "data", key));
  assert.deepEqual(values, [5, 2, "end_turn"]);
});

test("the answers that nobody asked for are not kept, and their exchanges do not wait", async (t) => {
  const room = await proxyRoom(t, { wantsAnswer: isModel });
  const port = await tlsOrigin(t, room, (_, response) => {
    response.writeHead(200, { "Content-Type": "text/plain" });
    response.write("begun");
  });
  const client = await secureTunnel(t, room, `127.0.0.1:${port}`);
  client.write(request("/other"));
  await until(() => room.exchanges.length === 1, "the exchange is handed on before the answer ends");
  assert.equal(room.exchanges[0]?.response, undefined);
});

test("an answer over the cap flows on and is marked", async (t) => {
  const room = await proxyRoom(t, { wantsAnswer: isModel, maxBodyBytes: 1000 });
  const port = await httpOrigin(t, (_, response) => response.end("x".repeat(50_000)));
  const client = await dialProxy(t, room.port);
  client.write(request(`http://127.0.0.1:${port}/v1/messages`, `127.0.0.1:${port}`));
  const { bytes } = await readAll(client);
  assert.ok(bytes.length > 50_000);
  await until(() => room.exchanges.length === 1, "the exchange is handed on");
  assert.equal(room.exchanges[0]?.response?.body.length, 1000);
  assert.equal(room.exchanges[0]?.response?.truncated, true);
});

test("copies of many answers share one budget, and give it back", () => {
  const budget = new AnswerBudget(100);
  const [a, b] = [new AnswerCopy(80, budget), new AnswerCopy(80, budget)];
  a.begin(200, []);
  b.begin(200, []);
  a.add(Buffer.alloc(70));
  b.add(Buffer.alloc(70));
  b.add(Buffer.alloc(1));
  assert.deepEqual([a.take(true)?.body.length, b.take(true)?.truncated], [70, true]);
  assert.equal(budget.take(1000), 100);
});
