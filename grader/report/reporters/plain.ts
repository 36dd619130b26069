import type { ScenarioResult } from "../../verdict.ts";
import { batchLines } from "../batch-lines.ts";
import { evidenceLines, headline, markerLines, ruleLines } from "../lines.ts";
import { paintFor } from "../paint.ts";
import type { Reporter } from "../reporter.ts";
import { asText } from "../text.ts";

/** For logs and pipes: no colour; a passing scenario is one line with its range, the others say all. */
export const plain: Reporter = {
  name: "plain",
  describe: "for logs and pipes: no colour, short for what passed",
  create: ({ write, detail }) => {
    const paint = paintFor(false);
    const tell = (result: ScenarioResult): void => {
      // Without a single event there is nothing to say marker by marker.
      const all = result.events > 0 && (detail > 1 || (detail > 0 && result.verdict !== "pass"));
      const lines = [headline(result, paint)];
      if (result.verdict !== "pass") lines.push(`  ${asText(result.reason)}`);
      if (all) lines.push(...markerLines(result, paint));
      if (detail > 0 && result.events > 0) lines.push(...ruleLines(result, paint, detail > 1));
      if (detail > 0) lines.push(...evidenceLines(result, paint));
      write(`${lines.join("\n")}\n`);
    };
    return {
      onResult: tell,
      onBatch: (document) => {
        if (detail > 1) for (const result of document.results) if (result.verdict !== "pass") tell(result);
        write(`${batchLines(document, paint, detail).join("\n")}\n`);
      },
    };
  },
};
