import type { JsonObject } from "../../../proxy/record/json.ts";
import { stringifyJson } from "../../../proxy/record/json.ts";
import type { ResultDocument } from "../../verdict.ts";
import type { Reporter } from "../reporter.ts";

/** One JSON document (`waymark.result/1`), written when all is graded. */
export const json: Reporter = {
  name: "json",
  describe: "one JSON document, schema waymark.result/1",
  create: ({ write }) => ({
    onEnd: (document) => write(`${documentText(document)}\n`),
  }),
};

function documentText(document: ResultDocument): string {
  return stringifyJson(document as ResultDocument & JsonObject);
}
