import assert from "node:assert/strict";
import { request } from "node:https";
import test from "node:test";
import { gzipSync } from "node:zlib";
import { startCollector } from "../../../examples/chat/collector.ts";
import { loopbackCertificate } from "../../support/certificate.ts";

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

async function ask(t: {
  after(done: () => Promise<void>): void;
}): Promise<(path: string, body: Buffer | string, extra?: { method?: string; encoding?: string }) => Promise<Answer>> {
  const { key, cert } = await loopbackCertificate(["localhost"]);
  const collector = await startCollector({ key, cert });
  t.after(() => collector.close());
  return (path, body, { method = "POST", encoding } = {}) =>
    new Promise((resolve, reject) => {
      const headers = encoding === undefined ? {} : { "content-encoding": encoding };
      const target = { host: "127.0.0.1", port: collector.port, servername: "localhost", ca: cert, agent: false };
      const sent = request({ ...target, method, path, headers }, (answer) => {
        let text = "";
        answer.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
        });
        answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body: JSON.parse(text) }));
      });
      sent.on("error", reject);
      sent.end(body);
    });
}

const TWO = '{"name":"a","data":{"x":1}}\n{"name":"b"}';

test("events are accepted plain and in gzip, with and without the trailing slash", async (t) => {
  const post = await ask(t);
  const accepted = { status: 200, body: { acc: 2 } };
  assert.deepEqual(await post("/OneCollector/1.0?cors=true", TWO), accepted);
  assert.deepEqual(await post("/OneCollector/1.0/", gzipSync(TWO), { encoding: "gzip" }), accepted);
});

test("lines that are no event are counted, the others accepted", async (t) => {
  const post = await ask(t);
  const body = `${TWO}\n{"name":7}\n[1]\nnull\n{"torn": `;
  assert.deepEqual(await post("/OneCollector/1.0", body), { status: 200, body: { acc: 2, rej: 4 } });
  assert.deepEqual(await post("/OneCollector/1.0", ""), { status: 200, body: { acc: 0 } });
});

test("other paths, methods, encodings and oversized bodies are refused", async (t) => {
  const post = await ask(t);
  assert.equal((await post("/elsewhere", TWO)).status, 404);
  assert.equal((await post("/OneCollector/1.0", "", { method: "GET" })).status, 405);
  assert.equal((await post("/OneCollector/1.0", TWO, { encoding: "gzip" })).status, 415);
  assert.equal((await post("/OneCollector/1.0", TWO, { encoding: "br" })).status, 415);
  assert.equal((await post("/OneCollector/1.0", Buffer.alloc(3_145_729, " "))).status, 413);
});
