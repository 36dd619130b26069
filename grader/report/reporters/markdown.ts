import { accountOfBatch, accountOfResults } from "../account.ts";
import { markdownOf } from "../markdown-text.ts";
import type { Reporter } from "../reporter.ts";

/** For a comment or a page: verdict first, a row per run, details folded. */
export const markdown: Reporter = {
  name: "markdown",
  describe: "for a comment or a page: verdict first, a row per run, details folded",
  create: ({ write }) => ({
    onEnd: (document) => write(markdownOf(accountOfResults(document))),
    onBatch: (document) => write(markdownOf(accountOfBatch(document))),
  }),
};
