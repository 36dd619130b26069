import * as z from "zod";
import type { JsonObject, JsonValue } from "../../proxy/record/json.ts";
import { WAYMARK_VERSION } from "../../proxy/record/version.ts";
import { errorAnswer } from "./answers.ts";
import { OPERATIONS, type Operation } from "./api.ts";
import { telemetryItem } from "./bodies.ts";
import { durationText } from "./evaluators/arguments.ts";
import { EVALUATORS } from "./evaluators/index.ts";

const REFUSALS: Readonly<Record<number, string>> = {
  400: "The request does not fit; `pointer` is a JSON pointer to what is wrong.",
  401: "The token is missing or wrong.",
  403: "A path out of the root, a foreign Host or a foreign Origin.",
  404: "An unknown name; `known` lists the names there are.",
  409: "The run is over, or was not begun here.",
  413: "The body is too large.",
  415: "The body is not application/json.",
  429: "Too many requests work or wait; try again after Retry-After seconds.",
};

/** The OpenAPI 3.1 document of the server, made from the schemas that check its bodies. */
export function openApiDocument(): JsonObject {
  const paths: Record<string, Record<string, JsonValue>> = {};
  for (const operation of OPERATIONS) {
    const path = paths[operation.path] ?? {};
    path[operation.method] = operationObject(operation);
    paths[operation.path] = path;
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "waymark evaluator",
      version: WAYMARK_VERSION,
      description:
        "Grades what an app or an agent really did, from the telemetry it sent. Verdicts are pass, fail, inconclusive and error; an HTTP error never is a verdict.",
    },
    servers: [{ url: "http://127.0.0.1:5053" }],
    security: [{}, { token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas: { Error: jsonSchema(errorAnswer, "output"), ...itemSchemas() },
    },
  };
}

function operationObject(operation: Operation): JsonObject {
  const { id, summary, body, answer, refusals, open } = operation;
  const parameters = [...pathParameters(operation), ...queryParameters(operation)];
  return {
    operationId: id,
    summary,
    ...(open === true ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: requestBody(operation) }),
    responses: {
      200:
        answer === "event-stream"
          ? { description: summary, content: { "text/event-stream": { schema: { type: "string" } } } }
          : { description: summary, content: json(jsonSchema(answer, "output")) },
      ...Object.fromEntries(refusals.map((status) => [status, refusal(status)])),
    },
  };
}

function refusal(status: number): JsonObject {
  return { description: REFUSALS[status] ?? "", content: json({ $ref: "#/components/schemas/Error" }) };
}

function requestBody({ id, body }: Operation): JsonObject {
  if (body === "binary") return { required: true, content: { "application/octet-stream": {} } };
  if (id !== "evaluate" && id !== "evaluateAtRoot")
    return { required: true, content: json(jsonSchema(body as z.ZodType, "input")) };
  const items = ["Telemetry", ...EVALUATORS.map(({ name }) => name)].map((name) => ({
    $ref: `#/components/schemas/${name}`,
  }));
  return {
    required: true,
    content: json({
      type: "object",
      required: ["evaluation"],
      additionalProperties: false,
      properties: { evaluation: { type: "array", minItems: 1, maxItems: 100, items: { oneOf: items } } },
    }),
  };
}

function itemSchemas(): JsonObject {
  const looks = EVALUATORS.map(({ name, summary, schema }) => {
    const args = jsonSchema(schema, "input") as { properties?: JsonObject; required?: readonly string[] };
    return [
      name,
      {
        ...args,
        description: summary,
        properties: { evaluator: { const: name }, ...args.properties, wait: jsonSchema(durationText, "input") },
        required: ["evaluator", ...(args.required ?? [])],
      },
    ] as const;
  });
  return { Telemetry: jsonSchema(telemetryItem, "input"), ...Object.fromEntries(looks) } as JsonObject;
}

function pathParameters({ path }: Operation): readonly JsonObject[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
}

function queryParameters({ query }: Operation): readonly JsonObject[] {
  if (query === undefined) return [];
  const { properties = {}, required = [] } = jsonSchema(query, "input") as {
    properties?: JsonObject;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    required: required.includes(name),
    schema,
  }));
}

function json(schema: JsonValue): JsonObject {
  return { "application/json": { schema } };
}

function jsonSchema(schema: z.ZodType, io: "input" | "output"): JsonObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { target: "draft-2020-12", io, unrepresentable: "any" });
  return rest as JsonObject;
}
