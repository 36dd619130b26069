import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import fc from "fast-check";
import { gradeLogs } from "../../grader/grade.ts";
import { parseScenario } from "../../grader/scenario/parse-scenario.ts";
import { openStore } from "../../grader/store/store.ts";
import { placesIn } from "../../grader/trials/folder.ts";
import { parseSelfReport, readSelfReport } from "../../grader/trials/self-report.ts";
import { writeEvents } from "../support/captured-runs.ts";
import { scratchFolder } from "../support/scratch.ts";

const SCENARIO = parseScenario(
  "waymark: 1\nscenario: s\nmarkers: [{ name: a, event: a }, { name: b, event: b }]\nrules: [{ name: r, never: { event: x } }]\nbudget: { cost: 1 }\n",
  "s.yaml",
);

const reports = fc.oneof(
  fc.constantFrom("done", '{"claim":"done"}', '{"success":false}', "failed", '{"verdict":"pass","success":true}'),
  fc.string({ unit: "binary" }),
);

test("whatever an agent reports, its run is graded byte for byte as without a report", async (t) => {
  const folder = scratchFolder(t);
  const store = openStore(join(folder, "waymark.db"));
  t.after(() => store.close());
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom("a", "b", "x", "y"), { maxLength: 5 }),
      reports,
      async (names, report) => {
        const places = writeEvents(
          folder,
          names.map((name) => ({ name })),
        );
        writeFileSync(places.selfReport, report);
        const read = readSelfReport(places.selfReport);
        const id = `run${++runs}`;
        const request = { logs: [places.telemetry], scenarios: [SCENARIO], newRunId: () => id, now: () => 0 };
        const without = await gradeLogs(request);
        const details = {
          costUsd: 2,
          ...(read === undefined ? {} : { selfReport: read.claim, agrees: read.claims_success === true }),
        };
        const withReport = await gradeLogs({ ...request, details, store });
        const priced = await gradeLogs({ ...request, details: { costUsd: 2 } });
        assert.equal(JSON.stringify(withReport.document), JSON.stringify(priced.document));
        assert.equal(store.getRun(id).verdict, withReport.document.results[0]?.verdict);
        if (names.length === 0) assert.equal(withReport.document.verdict, without.document.verdict);
      },
    ),
    { numRuns: 60 },
  );
});

test("any bytes are a self-report that says little or nothing, in words that steer no terminal", (t) => {
  const { selfReport } = placesIn(scratchFolder(t));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      writeFileSync(selfReport, bytes);
      const report = readSelfReport(selfReport);
      const shown = `${report?.claim ?? ""}${report?.text ?? ""}`;
      assert.ok(!/[\p{Cc}\p{Cf}\p{Cs}]/u.test(shown.replace(/[\n\t]/g, "")));
    }),
    { numRuns: 300 },
  );
});

test("a claim of success is one sentence of the table, whatever stands around it", () => {
  fc.assert(
    fc.property(fc.string(), (tail) => {
      const report = parseSelfReport(`the agent said: ${tail.replace(/[.!?;,:\n\r]/g, " ")} x`);
      assert.notEqual(report?.claims_success, true);
    }),
  );
});
