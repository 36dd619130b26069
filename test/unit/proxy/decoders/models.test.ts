import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import type { ExchangeResponse } from "../../../../proxy/record/exchange.ts";
import type { JsonObject } from "../../../../proxy/record/json.ts";
import { needsShared, SHARED } from "../../../support/project.ts";
import { at, recordsOf } from "../../../support/records.ts";
import { exchangeFromBytes, exchangeOf } from "../../../support/requests.ts";

/** A captured request with its captured answer. */
function captured(set: string, id: string) {
  const file = (ending: string): Buffer => readFileSync(join(SHARED, "captures", set, `${id}.${ending}`));
  const answer = exchangeFromBytes(file("res"));
  const response: ExchangeResponse = {
    status: Number(answer.target),
    headers: answer.headers,
    body: answer.body,
    truncated: false,
  };
  return { ...exchangeFromBytes(file("req")), response };
}

function data(records: readonly JsonObject[]) {
  return records.map((record) => [record["name"], record["data"]]);
}

function answered(body: string, more: Partial<ExchangeResponse> = {}): ExchangeResponse {
  return { status: 200, headers: [], body: Buffer.from(body), truncated: false, ...more };
}

test("a chat completion says model, tokens, stop reason and each tool call", needsShared("captures"), () => {
  assert.deepEqual(data(recordsOf(captured("openai", "001"))), [
    [
      "chat/completions",
      {
        model: "gpt-synthetic",
        stream: false,
        response_model: "gpt-synthetic-1",
        response_id: "chatcmpl-synthetic",
        stop_reason: "tool_calls",
        input_tokens: 120,
        output_tokens: 34,
        cached_tokens: 100,
        tool_calls: ["search_chats"],
        status: 200,
      },
    ],
    ["tool_call", { name: "search_chats", arguments: { q: "ž" }, id: "call_1" }],
  ]);
});

test("a streamed chat completion is joined", needsShared("captures"), () => {
  const [record, ...others] = recordsOf(captured("openai", "002"));
  assert.equal(others.length, 0);
  assert.equal(at(record, "data", "input_tokens"), 150);
  assert.equal(at(record, "data", "output_tokens"), 4);
  assert.equal(at(record, "data", "stop_reason"), "stop");
  const choices = at(record, "response", "choices") as readonly JsonObject[];
  assert.equal(at(choices[0], "message", "content"), "Two ž chats");
});

test("the responses API gives tokens and status", needsShared("captures"), () => {
  const [record] = recordsOf(captured("openai", "003"));
  assert.equal(at(record, "data", "stop_reason"), "completed");
  assert.equal(at(record, "data", "input_tokens"), 5);
});

test("an answer of Anthropic's gives its tool uses, plain or streamed", needsShared("captures"), () => {
  const [plain, streamed] = ["001", "002"].map((id) => recordsOf(captured("anthropic", id)));
  assert.equal(at(plain?.[0], "data", "cached_tokens"), 20);
  assert.deepEqual(plain?.[1]?.["data"], { name: "search_chats", arguments: { q: "ž" }, id: "toolu_1" });
  assert.deepEqual(streamed?.[1]?.["data"], { name: "search_chats", arguments: { q: "x" }, id: "toolu_2" });
  assert.equal(at(streamed?.[0], "data", "input_tokens"), 140);
  assert.equal(at(streamed?.[0], "data", "output_tokens"), 25);
  assert.equal(at(streamed?.[0], "data", "stop_reason"), "tool_use");
});

test("streamed tool calls come in pieces by index", () => {
  const piece = (calls: unknown): string =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: calls } }] })}\n\n`;
  const body = [
    piece([{ index: 0, id: "a", type: "function", function: { name: "one", arguments: "" } }]),
    piece([{ index: 1, id: "b", type: "function", function: { name: "two", arguments: '{"x":' } }]),
    piece([{ index: 0, function: { arguments: '{"y": 1}' } }]),
    piece([{ index: 1, function: { arguments: "2}" } }]),
    "data: [DONE]\n\n",
  ].join("");
  const request = { target: "/v1/chat/completions", body: '{"model":"m","messages":[],"stream":true}' };
  const [, ...calls] = recordsOf({ ...exchangeOf(request), response: answered(body) });
  assert.deepEqual(data(calls), [
    ["tool_call", { name: "one", arguments: { y: 1 }, arguments_text: '{"y": 1}', id: "a" }],
    ["tool_call", { name: "two", arguments: { x: 2 }, id: "b" }],
  ]);
});

test("a cut stream gives what had come; a request without an answer stands alone", () => {
  const start =
    'event: message_start\ndata: {"type":"message_start","message":{"id":"m1","model":"c","usage":{"input_tokens":7}}}\n\n';
  const cut = `${start}event: content_block_start\ndata: {"type":"content_bl`;
  const request = exchangeOf({ target: "/v1/messages", body: '{"model":"c","messages":[]}' });
  const [record] = recordsOf({ ...request, response: answered(cut, { truncated: true }) });
  assert.equal(at(record, "data", "input_tokens"), 7);
  assert.deepEqual(data(recordsOf(request)), [["messages", { model: "c", stream: false }]]);
});

test("a retry count in the headers marks the records", () => {
  const headers = [["X-Stainless-Retry-Count", "1"]] as const;
  const [record] = recordsOf(exchangeOf({ target: "/v1/responses", headers, body: '{"model":"m","input":"x"}' }));
  assert.equal(at(record, "$capture", "retry"), true);
});

test("an MCP call carries its result, also out of a stream, and its session", needsShared("captures"), () => {
  const [opened] = recordsOf(captured("mcp", "001"));
  assert.equal(at(opened, "$capture", "session"), "synthetic-mcp-session");
  assert.equal(at(opened, "result", "serverInfo", "name"), "synthetic-server");
  const [called] = recordsOf(captured("mcp", "005"));
  assert.deepEqual(called?.["data"], { name: "search_chats", arguments: { q: "ž", wm: "wm-01" } });
  assert.equal(at(called, "result", "isError"), false);
  const [failed] = recordsOf(captured("mcp", "006"));
  assert.equal(at(failed, "result", "isError"), true);
  assert.deepEqual(recordsOf(captured("mcp", "003")), []);
});

test("what an MCP server sends on its own is a record marked so", () => {
  const note = { jsonrpc: "2.0", method: "notifications/progress", params: { progress: 1 } };
  const result = { jsonrpc: "2.0", id: 1, result: {} };
  const body = [note, result].map((message) => `data: ${JSON.stringify(message)}\n\n`).join("");
  const request = { target: "/mcp", body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' };
  const records = recordsOf({ ...exchangeOf(request), response: answered(body) });
  assert.deepEqual(
    records.map(({ name, from }) => [name, from]),
    [
      ["tools/list", undefined],
      ["notifications/progress", "server"],
    ],
  );
});
