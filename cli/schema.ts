import { readFile } from "node:fs/promises";
import { waymarkError } from "../proxy/record/fault.ts";
import { didYouMean } from "../proxy/record/near.ts";
import type { Verb } from "./verb.ts";

export const SCHEMAS: Readonly<Record<string, string>> = {
  scenario: "../../markers/scenario.schema.json",
  result: "../../docs/result.schema.json",
  batch: "../../docs/batch.schema.json",
  record: "../../docs/record.schema.json",
  format: "../../docs/format.schema.json",
  comparison: "../../docs/comparison.schema.json",
  learn: "../../docs/learn.schema.json",
  outcomes: "../../docs/outcomes.schema.json",
  matrix: "../../docs/matrix.schema.json",
  fidelity: "../../docs/fidelity.schema.json",
  regrade: "../../docs/regrade.schema.json",
  mutate: "../../docs/mutate.schema.json",
  config: "../../docs/config.schema.json",
};

export const schema: Verb = {
  name: "schema",
  usage: `schema [${Object.keys(SCHEMAS).join("|")}]`,
  describe:
    "Prints a JSON Schema: of scenario files (the default), of waymark.config.yaml, of one log line, of a format file, or of what a verb prints with --json (result: grade; batch: run; comparison, outcomes, matrix and fidelity: compare; else the verb of that name).",
  options: {},
  maxPositionals: 1,
  ignoresConfig: true,
  examples: [["waymark schema result > result.schema.json", "for code that reads --json"]],
  async run(args, terminal) {
    const [name = "scenario"] = args.positionals;
    const file = SCHEMAS[name];
    if (file === undefined) {
      const known = Object.keys(SCHEMAS);
      throw waymarkError("WM_USAGE", `there is no schema "${name}"${didYouMean(name, known)}`, {
        fix: `Known: ${known.join(", ")}.`,
      });
    }
    terminal.out(await readFile(new URL(file, import.meta.url), "utf8"));
    return 0;
  },
};
