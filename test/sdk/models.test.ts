import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { openAuthority } from "../../certs/authority.ts";
import { writeBundle } from "../../certs/bundle.ts";
import { launchEnvironment } from "../../proxy/launch/index.ts";
import { MODEL_HOSTS, startModelService } from "../support/model-service.ts";
import { runProgram, startProxy, waymark } from "../support/processes.ts";
import { at } from "../support/records.ts";
import { runPlace } from "../support/run-command.ts";
import { scratchFolder } from "../support/scratch.ts";
import { seriesLines } from "../support/series.ts";

// The official clients of OpenAI and Anthropic, their default endpoints sent to a fake on loopback, through the real proxy.

const EMITTER = fileURLToPath(new URL("./models-emitter.js", import.meta.url));

test("openai and @anthropic-ai/sdk: streamed tool calls become records with name, arguments and tokens", async (t) => {
  const folder = scratchFolder(t);
  const ca = join(folder, "ca");
  const models = await startModelService(t, folder);
  const out = join(folder, "logs");
  const options = MODEL_HOSTS.flatMap((host) => ["--host", host, "--map", `${host}=127.0.0.1:${models.port}`]);
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

const PRICES = `
gpt-synthetic*: { input: 2.50, output: 10 }
claude-synthetic*: { input: 3, output: 15 }
`;
const SCENARIO = `
waymark: 1
scenario: agent
markers:
  - { name: OpenAI asked for the tool, event: tool_call, where: { data.name: open_chat, data.arguments.chat: žluťoučký } }
  - { name: OpenAI answered, event: responses }
  - { name: Anthropic asked for the tool, event: tool_call, where: { data.name: open_chat } }
  - { name: Anthropic answered, event: messages, where: { data.stop_reason: end_turn } }
`;

// 120*2.5 + 34*10, 11*2.5 + 2*10, 210*3 + 42*15, 9*3 + 3*15 dollars per million tokens
const CALLS = [
  ["chat/completions gpt-synthetic-1", 0.00064, 120, 34],
  ["responses gpt-synthetic-1", 0.0000475, 11, 2],
  ["messages claude-synthetic-1", 0.00126, 210, 42],
  ["messages claude-synthetic-1", 0.000072, 9, 3],
];
/** The stretch up to each marker; a call of a tool stands in the log behind its exchange. */
const STRETCHES = [
  ["OpenAI asked for the tool", 0.00064],
  ["OpenAI answered", 0.0000475],
  ["Anthropic asked for the tool", 0.00126],
  ["Anthropic answered", 0.000072],
];

const SHOWN = [
  /cost +\$0\.0020/,
  /tokens +350 in, 81 out/,
  /up to OpenAI asked for the tool .*\$0\.000640 {2}120 in, 34 out/,
  /up to OpenAI answered .*\$0\.0000475 {2}11 in, 2 out/,
  /up to Anthropic asked for the tool .*\$0\.00126 {2}210 in, 42 out/,
  /llm: messages claude-synthetic-1 .*\$0\.0000720 {2}9 in, 3 out/,
];

test("both clients launched by run, with prices: tokens and cost of each call and of each stretch up to a marker", async (t) => {
  const place = runPlace(t);
  const models = await startModelService(t, place.cwd);
  const [prices, scenario] = [place.file("prices.yaml", PRICES), place.file("agent.yaml", SCENARIO)];
  const scope = MODEL_HOSTS.flatMap((host) => ["--host", host, "--map", `${host}=127.0.0.1:${models.port}`]);
  const options = ["-n", "1", "--evidence", "off", "--settle", "idle=300ms", "--upstream-ca", models.caFile, ...scope];
  const line = [...options, "--prices", prices, "-s", scenario, "--", process.execPath, EMITTER];
  const { document, said } = await place.json(...line);
  const [trial] = document.trials;
  assert.equal(document.verdict, "pass", said.stderr + said.stdout);
  assert.deepEqual(trial?.used, { cost_usd: 0.0020195, tokens_in: 350, tokens_out: 81, tokens: 431 });
  const steps = (trial?.steps ?? []).filter(({ kind }) => kind === "llm");
  assert.deepEqual(
    steps.map(({ name, cost_usd, tokens_in, tokens_out }) => [name, cost_usd, tokens_in, tokens_out]),
    CALLS,
  );
  const stretches = (trial?.steps ?? []).filter(({ kind }) => kind === "marker");
  assert.deepEqual(
    stretches.map(({ name, cost_usd }) => [name, cost_usd]),
    STRETCHES,
  );
  const json = await waymark(["runs", "show", "1", "--json"], place.options);
  assert.deepEqual((JSON.parse(json.stdout) as { manifest: { steps: unknown } }).manifest.steps, trial?.steps);
  const shown = await waymark(["runs", "show", "1"], place.options);
  t.diagnostic(shown.stdout);
  for (const line of SHOWN) assert.match(shown.stdout, line);
});
