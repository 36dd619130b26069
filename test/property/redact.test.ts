import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { redact } from "../../proxy/pipeline/redact.ts";
import { parseRedactPath } from "../../proxy/pipeline/redact-path.ts";
import type { JsonObject } from "../../proxy/record/json.ts";

const names = fc.constantFrom(
  "iKey",
  "api_key",
  "writeKey",
  "token",
  "Authorization",
  "cookie",
  "url",
  "data",
  "x",
  "body_base64",
);
const texts = fc.oneof(
  fc.string(),
  fc.tuple(names, fc.string()).map(([name, value]) => `?${name}=${value}&b=1`),
  fc.tuple(names, fc.string()).map(([name, value]) => JSON.stringify({ [name]: value })),
  fc.tuple(names, fc.string()).map(([name, value]) => JSON.stringify({ in: JSON.stringify({ [name]: value }) })),
  fc.tuple(names, fc.string()).map(([name, value]) => `a\r\n${name}: ${value}\nb`),
  fc.string().map((text) => Buffer.from(`?apikey=${text}`).toString("base64")),
);
const { event } = fc.letrec<{ event: JsonObject; value: JsonObject }>((tie) => ({
  event: fc.dictionary(fc.oneof(names, fc.string()), tie("value"), { maxKeys: 5 }) as fc.Arbitrary<JsonObject>,
  value: fc.oneof(
    { maxDepth: 3 },
    texts,
    fc.integer(),
    fc.boolean(),
    tie("event"),
    fc.array(tie("value"), { maxLength: 3 }),
  ) as unknown as fc.Arbitrary<JsonObject>,
}));

test("redacting twice changes and counts nothing more", () => {
  const paths = ["data.x", "url[*].token", "x[*]"].map(parseRedactPath);
  fc.assert(
    fc.property(event, (sent) => {
      const once = redact(sent, paths);
      assert.deepEqual(redact(once.value, paths), { value: once.value, count: 0 });
    }),
    { numRuns: 500 },
  );
});
