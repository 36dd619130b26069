import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { DECODERS } from "../../proxy/decoders/index.ts";
import { formatDecoder } from "../../proxy/formats/format-decoder.ts";
import { parseFormat } from "../../proxy/formats/load.ts";
import { PROJECT } from "../support/project.ts";
import { at, recordsOf } from "../support/records.ts";
import { exchangeOf } from "../support/requests.ts";

function blockOf(page: string, language: string): string {
  const block = new RegExp(`\\n\`\`\`${language}\\n([\\s\\S]*?)\\n\`\`\``).exec(page)?.[1];
  assert.ok(block !== undefined, language);
  return block;
}

test("the format that docs/formats.md describes reads the request shown beside it, in under 20 lines", () => {
  const page = readFileSync(join(PROJECT, "docs", "formats.md"), "utf8").replaceAll("\r\n", "\n");
  const yaml = blockOf(page, "yaml");
  assert.ok(yaml.split("\n").length < 20);
  const decoders = [formatDecoder(parseFormat(yaml, "formats/acme.yaml")), ...DECODERS];
  const exchange = exchangeOf({ host: "t.acme.example", target: "/ingest/v2", body: blockOf(page, "json") });
  const records = recordsOf(exchange, undefined, { decoders });
  assert.deepEqual(
    records.map((record) => [
      at(record, "$capture", "format"),
      record["name"],
      record["time"],
      at(record, "$capture", "session"),
    ]),
    [
      ["acme", "cart_opened", "2023-11-14T22:13:20.123456Z", "s-1"],
      ["acme", "paid", "2023-11-14T22:13:21.000000Z", "s-1"],
    ],
  );
  assert.deepEqual(records[0]?.["data"], { items: 2, email: "[redacted]" });
});
