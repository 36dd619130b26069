import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { PROJECT } from "./project.ts";

/** What a JSON document has that its published schema (`waymark schema NAME`) does not allow, or lacks. */
export function schemaProblems(name: string, document: string): readonly string[] {
  const schema: object = JSON.parse(readFileSync(join(PROJECT, "docs", `${name}.schema.json`), "utf8"));
  const validate = new Ajv({ allErrors: true, strict: false }).compile(schema);
  if (validate(JSON.parse(document))) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message = "", params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}
