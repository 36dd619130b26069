import type { JsonObject } from "../../../proxy/record/json.ts";
import { stringifyJson } from "../../../proxy/record/json.ts";
import type { BatchDocument } from "../../trials/batch.ts";
import type { ResultDocument } from "../../verdict.ts";
import type { Reporter } from "../reporter.ts";

/** One JSON document (`waymark.result/1`, or `waymark.batch/1` of several runs), written when all is graded. */
export const json: Reporter = {
  name: "json",
  describe: "one JSON document, schema waymark.result/1",
  create: ({ write }) => ({
    onEnd: (document) => write(`${documentText(document)}\n`),
    onBatch: (document) => write(`${documentText(document)}\n`),
  }),
};

function documentText(document: ResultDocument | BatchDocument): string {
  return stringifyJson(document as unknown as JsonObject);
}
