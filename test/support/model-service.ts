import { once } from "node:events";
import { writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { gzipSync } from "node:zlib";
import { loopbackCertificate } from "./certificate.ts";

export const MODEL_HOSTS = ["api.openai.com", "api.anthropic.com"];
const TOOL_ARGUMENTS = '{"chat":"žluťoučký","n":12345678901234567890}';

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
    ...(TOOL_ARGUMENTS.match(/.{1,5}/gsu) ?? []).map((part) => call({ function: { arguments: part } })),
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

/** Both APIs on loopback: streamed tool calls and whole answers, with the tokens they used. */
export async function startModelService(
  t: Pick<TestContext, "after">,
  folder: string,
): Promise<{ port: number; caFile: string }> {
  const { key, cert } = await loopbackCertificate(MODEL_HOSTS);
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
