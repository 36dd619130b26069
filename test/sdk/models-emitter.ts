import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";

// An agent as many are written: both official clients, default endpoints, a streamed and a whole answer each.

const tools = [{ name: "open_chat", description: "opens a chat", schema: { type: "object", properties: {} } }] as const;
const [tool] = tools;

async function askOpenai(): Promise<void> {
  const client = new OpenAI({ apiKey: "sk-synthetic", maxRetries: 0 });
  const question = {
    model: "gpt-synthetic",
    messages: [{ role: "user" as const, content: "open the release chat" }],
    tools: [{ type: "function" as const, function: { name: tool.name, parameters: tool.schema } }],
  };
  const stream = await client.chat.completions.create({
    ...question,
    stream: true,
    stream_options: { include_usage: true },
  });
  let pieces = "";
  for await (const chunk of stream) pieces += chunk.choices[0]?.delta.tool_calls?.[0]?.function?.arguments ?? "";
  const whole = await client.responses.create({ model: "gpt-synthetic", input: "again" });
  process.stdout.write(`${JSON.stringify({ openai: pieces, output: whole.output_text })}\n`);
}

async function askAnthropic(): Promise<void> {
  const client = new Anthropic({ apiKey: "sk-ant-synthetic", maxRetries: 0 });
  const question = {
    model: "claude-synthetic",
    max_tokens: 100,
    messages: [{ role: "user" as const, content: "open the release chat" }],
    tools: [{ name: tool.name, input_schema: { type: "object" as const } }],
  };
  const message = await client.messages.stream(question).finalMessage();
  const plain = await client.messages.create(question);
  process.stdout.write(`${JSON.stringify({ anthropic: message.content, stop: plain.stop_reason })}\n`);
}

await askOpenai();
await askAnthropic();
