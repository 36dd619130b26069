import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { startProxy, waymark } from "../support/processes.ts";
import { scratchFolder } from "../support/scratch.ts";
import { seriesLines } from "../support/series.ts";

const FORMAT = `waymark: 1
format: acme
match: { path: /ingest, shape: { $.batch: list } }
events: $.batch[*]
name: $.evt
data: $.p
redact: [data.email]
sink: { status: 202, body: '{"took":{events}}' }
`;
const DECODER = `export const decoder = {
  name: "pipes",
  score: ({ text }) => { if (text.includes("bomb")) throw new Error("boom"); return text.startsWith("P|") ? 1 : 0; },
  decode: ({ text }) => [{ name: text.split("|")[1], data: {} }],
};`;

async function post(proxyPort: number, url: string, body: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port: proxyPort, method: "POST", path: url }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (more: string) => {
        text += more;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

async function server(t: TestContext): Promise<number> {
  const made = createServer((incoming, response) => incoming.resume().on("end", () => response.end("up")));
  await new Promise<void>((resolve) => made.listen(0, "127.0.0.1", resolve));
  t.after(() => made.close());
  return (made.address() as AddressInfo).port;
}

for (const mode of ["with an upstream", "as a sink"]) {
  test(`own formats in the running proxy, ${mode}`, async (t) => {
    const folder = scratchFolder(t);
    mkdirSync(join(folder, "formats"));
    writeFileSync(join(folder, "formats", "acme.yaml"), FORMAT);
    writeFileSync(join(folder, "pipes.mjs"), DECODER);
    const origin = await server(t);
    const sink = mode === "as a sink" ? ["--sink"] : [];
    const proxy = await startProxy(t, ["--out", "logs", "--host", "127.0.0.1", "--decoder", "pipes.mjs", ...sink], {
      cwd: folder,
      env: { WAYMARK_CA_DIR: join(folder, "ca") },
    });
    const base = `http://127.0.0.1:${origin}`;
    const body = '{"batch":[{"evt":"a","p":{"email":"x@y.example","n":1}},{"evt":"b"}]}';
    const answer = await post(proxy.port, `${base}/ingest`, body);
    assert.deepEqual(answer, mode === "as a sink" ? { status: 202, text: '{"took":2}' } : { status: 200, text: "up" });
    await post(proxy.port, `${base}/other`, "P|piped|1");
    await post(proxy.port, `${base}/other`, '{"name":"bomb"}');
    const { stderr } = await proxy.stop();
    const records = seriesLines(join(folder, "logs")).filter(({ name }) => name !== null);
    assert.deepEqual(
      records.map(({ name, data }) => [name, data]),
      [
        ["a", { email: "[redacted]", n: 1 }],
        ["b", undefined],
        ["piped", {}],
        ["bomb", undefined],
      ],
    );
    assert.match(stderr, /1 failure of the decoder pipes/);
  });
}

test("a broken format file ends the start with its places; the schema is published", async (t) => {
  const folder = scratchFolder(t);
  writeFileSync(join(folder, "f.yaml"), "waymark: 1\nformat: a\nmatch: { path: /x }\nnmae: $.n\n");
  const { code, stderr } = await waymark(["proxy", "--port", "0", "--format", "f.yaml"], { cwd: folder });
  assert.equal(code, 2);
  assert.match(stderr, /f\.yaml:4:1: error WM_FORMAT_INVALID/);
  const { stdout } = await waymark(["schema", "format"]);
  assert.equal((JSON.parse(stdout) as { title: string }).title, "waymark format");
});
