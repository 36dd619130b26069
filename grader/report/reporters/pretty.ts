import type { ScenarioResult } from "../../verdict.ts";
import { batchLines } from "../batch-lines.ts";
import { evidenceLines, headline, markerLines, ruleLines } from "../lines.ts";
import { paintFor } from "../paint.ts";
import type { Reporter } from "../reporter.ts";
import { asText } from "../text.ts";

/** For a person at a terminal: colours, every marker, the nearest miss clause by clause. */
export const pretty: Reporter = {
  name: "pretty",
  describe: "for a terminal: every marker, the nearest miss, colours",
  create: ({ write, colour, detail }) => {
    const paint = paintFor(colour);
    const tell = (result: ScenarioResult): void => {
      const lines = [headline(result, paint)];
      if (detail > 0) {
        // Without a single event there is nothing to say marker by marker.
        if (result.events > 0) lines.push(...markerLines(result, paint), ...ruleLines(result, paint, detail > 1));
        if (result.verdict !== "pass") lines.push(`  ${paint.strong(asText(result.reason))}`);
        lines.push(...evidenceLines(result, paint));
      }
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
