import type { BatchDocument } from "../../trials/batch.ts";
import type { ResultDocument } from "../../verdict.ts";
import type { Reporter } from "../reporter.ts";

/** The page that `waymark report` writes. What takes long is loaded and done when all else is over. */
export const html: Reporter = {
  name: "html",
  describe: "the page: one HTML file that opens by double click",
  create: ({ write, file }) => {
    let document: ResultDocument | BatchDocument | undefined;
    return {
      onEnd: (ended) => {
        document = ended;
      },
      onBatch: (ended) => {
        document = ended;
      },
      finish: async () => {
        if (document === undefined) return;
        const { writeDocument } = await import("../page/of-document.ts");
        await writeDocument(document, write, file);
      },
    };
  },
};
