import { readFile } from "node:fs/promises";
import { waymarkError } from "../proxy/record/fault.ts";
import { didYouMean } from "../proxy/record/near.ts";
import type { Verb } from "./verb.ts";

const SCHEMAS: Readonly<Record<string, string>> = {
  scenario: "../../markers/scenario.schema.json",
  result: "../../docs/result.schema.json",
  batch: "../../docs/batch.schema.json",
  record: "../../docs/record.schema.json",
  format: "../../docs/format.schema.json",
  comparison: "../../docs/comparison.schema.json",
  learn: "../../docs/learn.schema.json",
  mutate: "../../docs/mutate.schema.json",
};

export const schema: Verb = {
  name: "schema",
  usage: "schema [scenario|result|batch|record|format|comparison|learn|mutate]",
  describe:
    "Prints a JSON Schema: of scenario files (the default), of `--json` results, of `run --json`, of one log line, of a format file, or of `compare`, `learn` and `mutate` with `--json`.",
  options: {},
  maxPositionals: 1,
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
