import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { openAuthority } from "../../certs/authority.ts";
import { writeBundle } from "../../certs/bundle.ts";
import { launchEnvironment } from "../../proxy/launch/index.ts";
import { loopbackCertificate } from "../support/certificate.ts";
import { runProgram, startProxy } from "../support/processes.ts";
import { at } from "../support/records.ts";
import { scratchFolder } from "../support/scratch.ts";
import { seriesLines } from "../support/series.ts";

// The official clients of OpenAI and Anthropic, their default endpoints sent to a fake on loopback, through the real proxy.

const EMITTER = fileURLToPath(new URL("./models-emitter.js", import.meta.url));
const HOSTS = ["api.openai.com", "api.anthropic.com"];
const ARGUMENTS = '{"chat":"žluťoučký","n":12345678901234567890}';

/** Writes an event stream in pieces of seven bytes, so that chunks end inside events and characters. */
async function stream(
  response: ServerResponse,
  events: readonly (readonly [string | undefined, unknown])[],
): Promise<void> {
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  const text = events.map(
    ([event, data]) =>
      `${event === undefined ? "" : `event: ${event}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`,
  );
  const bytes = Buffer.from(text.join(""));
  for (let from = 0; from < bytes.length; from += 7) {
    if (!response.write(bytes.subarray(from, from + 7))) await once(response, "drain");
  }
  response.end();
}

function chatChunks(): (readonly [undefined, unknown])[] {
  const chunk = (delta: object, finish: string | null = null) =>
    [
      undefined,
      {
        id: "chatcmpl-1",
        object: "chat.completion.chunk",
        created: 1,
        model: "gpt-synthetic-1",
        choices: [{ index: 0, delta, finish_reason: finish }],
      },
    ] as const;
  const call = (part: object) => chunk({ tool_calls: [{ index: 0, ...part }] });
  return [
    chunk({ role: "assistant", content: null }),
    call({ id: "call_1", type: "function", function: { name: "open_chat", arguments: "" } }),
    ...(ARGUMENTS.match(/.{1,5}/gsu) ?? []).map((part) => call({ function: { arguments: part } })),
    chunk({}, "tool_calls"),
    [
      undefined,
      {
        id: "chatcmpl-1",
        object: "chat.completion.chunk",
        created: 1,
        model: "gpt-synthetic-1",
        choices: [],
        usage: { prompt_tokens: 120, completion_tokens: 34, total_tokens: 154 },
      },
    ],
    [undefined, "[DONE]"],
  ];
}

function messageEvents(): (readonly [string, unknown])[] {
  const event = (type: string, more: object) => [type, { type, ...more }] as const;
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-synthetic-1",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 210, output_tokens: 1 },
  };
  return [
    event("message_start", { message }),
    event("content_block_start", {
      index: 0,
      content_block: { type: "tool_use", id: "toolu_1", name: "open_chat", input: {} },
    }),
    ...['{"chat":', '"žluťoučký"', "}"].map((partial_json) =>
      event("content_block_delta", { index: 0, delta: { type: "input_json_delta", partial_json } }),
    ),
    event("content_block_stop", { index: 0 }),
    event("message_delta", { delta: { stop_reason: "tool_use", stop_sequence: null }, usage: { output_tokens: 42 } }),
    event("message_stop", {}),
  ];
}

async function answer(path: string, isStreamed: boolean, response: ServerResponse): Promise<void> {
  if (path === "/v1/chat/completions") return stream(response, chatChunks());
  if (path === "/v1/messages" && isStreamed) return stream(response, messageEvents());
  const body =
    path === "/v1/responses"
      ? {
          id: "resp_1",
          object: "response",
          status: "completed",
          model: "gpt-synthetic-1",
          output: [
            { type: "message", role: "assistant", content: [{ type: "output_text", text: "done", annotations: [] }] },
          ],
          usage: { input_tokens: 11, output_tokens: 2, total_tokens: 13 },
        }
      : {
          id: "msg_2",
          type: "message",
          role: "assistant",
          model: "claude-synthetic-1",
          content: [{ type: "text", text: "ok" }],
          stop_reason: "end_turn",
          stop_sequence: null,
          usage: { input_tokens: 9, output_tokens: 3 },
        };
  response.writeHead(200, { "Content-Type": "application/json", "Content-Encoding": "gzip" });
  response.end(gzipSync(JSON.stringify(body)));
}

async function fakeModels(t: TestContext, folder: string): Promise<{ port: number; caFile: string }> {
  const { key, cert } = await loopbackCertificate(HOSTS);
  const caFile = join(folder, "models-ca.pem");
  writeFileSync(caFile, cert);
  const server = createServer({ key, cert }, (request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (more: string) => {
      body += more;
    });
    request.on("end", () => void answer(request.url ?? "", body.includes('"stream":true'), response));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { port: (server.address() as AddressInfo).port, caFile };
}

test("openai and @anthropic-ai/sdk: streamed tool calls become records with name, arguments and tokens", async (t) => {
  const folder = scratchFolder(t);
  const ca = join(folder, "ca");
  const models = await fakeModels(t, folder);
  const out = join(folder, "logs");
  const options = HOSTS.flatMap((host) => ["--host", host, "--map", `${host}=127.0.0.1:${models.port}`]);
  const proxy = await startProxy(t, ["--out", out, "--upstream-ca", models.caFile, ...options], {
    env: { WAYMARK_CA_DIR: ca },
  });
  const { authority } = await openAuthority(ca);
  const { env } = launchEnvironment({
    base: process.env,
    proxyUrl: proxy.url,
    certFile: authority.certFile,
    bundleFile: writeBundle(authority),
    folder,
    extra: {},
  });
  const emitted = await runProgram(process.execPath, [EMITTER], { env });
  assert.equal(emitted.code, 0, emitted.stderr);
  assert.match(emitted.stdout, /žluťoučký.*"output":"done"/, "the client got every piece");
  const { stderr } = await proxy.stop();
  const records = seriesLines(out).filter((line) => at(line, "$capture", "control") === undefined);
  const told = records.map((record) => [
    at(record, "$capture", "format"),
    record["name"],
    ...["input_tokens", "output_tokens", "stop_reason", "name"].map((key) => at(record, "data", key)),
  ]);
  const none = undefined;
  assert.deepEqual(
    told,
    [
      ["openai", "chat/completions", 120, 34, "tool_calls", none],
      ["openai", "tool_call", none, none, none, "open_chat"],
      ["openai", "responses", 11, 2, "completed", none],
      ["anthropic", "messages", 210, 42, "tool_use", none],
      ["anthropic", "tool_call", none, none, none, "open_chat"],
      ["anthropic", "messages", 9, 3, "end_turn", none],
    ],
    stderr,
  );
  assert.deepEqual(at(records[1], "data", "arguments"), { chat: "žluťoučký", n: 12345678901234567890n });
  assert.deepEqual(at(records[4], "data", "arguments"), { chat: "žluťoučký" });
});
