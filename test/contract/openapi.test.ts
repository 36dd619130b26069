import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { OPERATIONS } from "../../grader/evaluator/api.ts";
import { chatLines, evaluatorRoom, fiveChats, type Reply, writeChats } from "../support/evaluator.ts";
import { FIVE_CHATS } from "../support/telemetry.ts";

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document is read key by key
type Document = any;

test("the OpenAPI document describes every operation, and every answer fits it", async (t) => {
  const room = await evaluatorRoom(t);
  const document: Document = (await room.ask("/openapi.json")).body;
  assert.equal(document.openapi, "3.1.0");
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: "openapi", ...document });
  const seen = new Set<string>();
  const fits = (method: "get" | "post", path: string, reply: Reply): Reply => {
    const operation = document.paths[path][method];
    const answer = operation.responses[String(reply.status)];
    assert.ok(answer, `${method} ${path} answers ${reply.status}, which is not in the document`);
    const pointer = ["paths", path, method, "responses", String(reply.status), "content", "application/json", "schema"];
    const ref = `openapi#/${pointer.map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/")}`;
    const validate = ajv.getSchema(ref);
    assert.ok(validate, ref);
    assert.ok(validate(reply.body), `${path}: ${ajv.errorsText(validate.errors)}`);
    seen.add(operation.operationId);
    return reply;
  };
  const log = writeChats(room.folder, FIVE_CHATS);
  const body = {
    evaluation: [fiveChats(log), { evaluator: "file_exists", path: log }, { evaluator: "process_running", name: "x" }],
  };
  fits("post", "/", await room.ask("/", { body }));
  fits("post", "/evaluate", await room.ask("/evaluate?wait=50ms", { body: { evaluation: [fiveChats(`${log}x`)] } }));
  fits("post", "/evaluate", await room.ask("/evaluate", { body: {} }));
  fits("post", "/evaluate", await room.ask("/evaluate", { body: { evaluation: [{ evaluator: "x" }] } }));
  fits("get", "/healthz", await room.ask("/healthz"));
  fits("get", "/openapi.json", await room.ask("/openapi.json"));
  fits("get", "/v1/evaluators", await room.ask("/v1/evaluators"));
  const batch = fits("post", "/v1/batches", await room.ask("/v1/batches", { body: {} })).body.id;
  const run = fits(
    "post",
    "/v1/runs",
    await room.ask("/v1/runs", { body: { scenarios: ["simple_collab_switch"], batch } }),
  ).body;
  writeFileSync(join(run.telemetry, "telemetry-0.log"), chatLines(FIVE_CHATS));
  const at = `/v1/runs/${run.id}`;
  fits("get", "/v1/runs/{id}", await room.ask(at));
  fits("get", "/v1/runs/{id}/markers", await room.ask(`${at}/markers?wait=50ms`));
  fits("post", "/v1/runs/{id}/steps", await room.ask(`${at}/steps`, { body: { steps: [{ name: "a" }] } }));
  fits("post", "/v1/runs/{id}/self-report", await room.ask(`${at}/self-report`, { body: { claim: "done" } }));
  fits("post", "/v1/runs/{id}/attach", await room.ask(`${at}/attach?name=a.log`, { body: "x" }));
  fits("post", "/v1/runs/{id}/stop", await room.ask(`${at}/stop`, { body: { settle: { idle: "0ms" } } }));
  fits("post", "/v1/runs/{id}/steps", await room.ask(`${at}/steps`, { body: { steps: [{ name: "a" }] } }));
  fits("get", "/v1/runs/{id}", await room.ask(at));
  fits("get", "/v1/runs", await room.ask("/v1/runs"));
  fits("get", "/v1/batches/{id}", await room.ask(`/v1/batches/${batch}`));
  fits("get", "/v1/batches/{id}", await room.ask("/v1/batches/none"));
  fits("get", "/v1/events", await room.ask(`/v1/events?telemetry_file=${encodeURIComponent(log)}`));
  fits("post", "/v1/reset", await room.ask("/v1/reset", { body: {} }));
  assert.deepEqual([...seen, "stream"].sort(), OPERATIONS.map(({ id }) => id).sort());
});

test("the request schemas take what the server takes, and refuse what it refuses", async (t) => {
  const room = await evaluatorRoom(t);
  const document: Document = (await room.ask("/openapi.json")).body;
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: "openapi", ...document });
  const validate = ajv.getSchema("openapi#/paths/~1evaluate/post/requestBody/content/application~1json/schema");
  assert.ok(validate);
  const items: readonly object[] = [
    fiveChats("a.log"),
    { evaluator: "file_exists", path: "a", wait: "1s" },
    { evaluator: "file_exists" },
    { evaluator: "file_exists", path: 5 },
    { evaluator: "process_running", name: "x", nonsense: 1 },
    { evaluator: "json_file", path: "x", where: { a: 1 } },
    { evaluator: "sqlite_query", path: "x", query: "SELECT 1" },
    { evaluator: "app_scenarios", scenarios: "one" },
  ];
  for (const item of items) {
    const { status } = await room.evaluate(item);
    assert.equal(validate({ evaluation: [item] }), status === 200, JSON.stringify(item));
  }
});
