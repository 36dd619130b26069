import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { Panel, type SeatOutcome, seatScenarios } from "../../grader/panel.ts";
import { Intake, type RangeSink } from "../../grader/read/intake.ts";
import { createLineKernel } from "../../grader/read/line-kernel.ts";
import { parseLine } from "../../grader/read/parse.ts";
import type { RangeRule } from "../../grader/read/range.ts";
import { SeriesReader } from "../../grader/read/reader.ts";
import type { RangeSummary } from "../../grader/read/tally.ts";
import { stringifyJson } from "../../proxy/record/json.ts";
import { type HostileCase, hostileCase } from "../support/hostile-logs.ts";
import { readOracle } from "../support/oracle.ts";
import { needsShared } from "../support/project.ts";
import { type ScenarioJson, scenarioFrom } from "../support/scenario-from-json.ts";
import { scratchFolder } from "../support/scratch.ts";

interface Graded {
  readonly outcome: { readonly summary: RangeSummary; readonly outcomes: readonly SeatOutcome[] };
  readonly passed: number;
}

type Gradable = Pick<HostileCase, "blockBytes" | "lineBytes"> & { readonly scenarios: readonly ScenarioJson[] };

/** Grades the log in the file; in mode `plain` every line is parsed. */
async function grade(
  file: string,
  one: Gradable,
  options: { mode: "plain" | "scan" | "quick"; rule: RangeRule },
): Promise<Graded> {
  const seats = seatScenarios(
    one.scenarios.map((json) => ({ scenario: scenarioFrom(json) })),
    new Map(),
  );
  const panel = new Panel(seats);
  let passed = 0;
  const { selection } = panel;
  const sink: RangeSink = {
    restart: () => panel.restart(),
    event: (event, place) => panel.event(event, place),
    tick: (atMs) => panel.tick(atMs),
    gap: (place, why) => panel.gap(place, why),
    ...(selection === undefined || options.mode === "plain"
      ? {}
      : {
          selection: {
            keys: selection.keys,
            interests: (name) => selection.interests(name),
            get generation() {
              return selection.generation;
            },
            get numberTimes() {
              return selection.numberTimes;
            },
            pass: (event, place) => {
              passed += 1;
              selection.pass(event, place);
            },
            passRun: (run, last) => {
              passed += run.events;
              selection.passRun(run, last);
            },
          },
        }),
  };
  const intake = new Intake({ rule: options.rule, sink });
  const reader = new SeriesReader(intake, {
    lineBytes: one.lineBytes,
    blockBytes: one.blockBytes,
    isQuick: options.mode === "quick",
  });
  reader.extend([{ file }]);
  await reader.drain();
  await reader.close();
  const summary = intake.finish();
  const end = summary.cut === undefined ? { kind: "complete" as const } : { kind: "cut" as const, why: summary.cut };
  return { outcome: { summary, outcomes: panel.finish(end) }, passed };
}

test("on the cases of the oracles, scan and plain reading agree too", needsShared("oracles"), async (t) => {
  const file = join(scratchFolder(t), "oracle.log");
  let passed = 0;
  for (const name of ["markers_core", "rules_core", "stream_env", "cep", "sql_match_recognize"]) {
    for (const { id, pattern, events } of readOracle(name)) {
      if (pattern?.waymark?.markers === undefined) continue;
      const lines = events.map((event) => `${stringifyJson(event)}\n`).join("");
      // Many events of one name before the case's own: those are passed, and must not move anything.
      const others = Array.from({ length: 20 }, (_, at) => `{"name":"elsewhere","t":${at}}\n`).join("");
      writeFileSync(file, others + lines + others + lines);
      const one: Gradable = { scenarios: [pattern.waymark], blockBytes: 512, lineBytes: 1 << 20 };
      const fast = await grade(file, one, { mode: "scan", rule: { kind: "all" } });
      const plain = await grade(file, one, { mode: "plain", rule: { kind: "all" } });
      assert.deepEqual(fast.outcome, plain.outcome, id);
      const quick = await grade(file, one, { mode: "quick", rule: { kind: "all" } });
      assert.deepEqual(withoutUnchecked(quick.outcome), plain.outcome, id);
      passed += fast.passed;
    }
  }
  assert.ok(passed > 500, `only ${passed} events were passed`);
});

const RULES: readonly RangeRule[] = [
  { kind: "all" },
  { kind: "newest" },
  { kind: "since", sinceMs: Date.parse("2026-01-01T00:00:05Z") },
];

function withoutUnchecked({ summary, outcomes }: Graded["outcome"]): Graded["outcome"] {
  const { linesUnchecked: _, ...known } = summary;
  return { summary: known, outcomes };
}

/** The lines of a log that can be read; each line break stays. */
function readable(log: Buffer, lineBytes: number): Buffer {
  const kept: Buffer[] = [];
  for (let start = 0; start < log.length; ) {
    const end = log.indexOf(10, start) === -1 ? log.length : log.indexOf(10, start) + 1;
    const isBom = start === 0 && log.subarray(0, 3).equals(Buffer.from("\ufeff"));
    const last = log[end - 1] === 10 ? end - 1 : end;
    const isBad = parseLine(log, isBom ? 3 : start, last).kind === "bad" || last - start > lineBytes;
    if (!isBad) kept.push(log.subarray(start, end));
    start = end;
  }
  return Buffer.concat(kept);
}

/** How many logs: WAYMARK_BIG=1 is the number that a release is held against. */
const SEEDS = process.env["SCAN_SEEDS"] ?? (process.env["WAYMARK_BIG"] === "1" ? "1,50000" : "1,300");

test("a scan that parses only what is wanted gives what parsing every line gives", async (t) => {
  assert.notEqual(createLineKernel({ name: "name", time: "time" }, 64), undefined, "the kernel is built and loads");
  const folder = scratchFolder(t);
  const file = join(folder, "hostile.log");
  const [first, count] = SEEDS.split(",").map(Number);
  t.diagnostic(`seeds ${SEEDS} (first, count)`);
  let passed = 0;
  let unchecked = 0;
  for (let seed = first ?? 1; seed < (first ?? 1) + (count ?? 0); seed++) {
    const one = hostileCase(seed);
    writeFileSync(file, one.log);
    const rule = RULES[seed % RULES.length] ?? { kind: "all" };
    const fast = await grade(file, one, { mode: "scan", rule });
    const plain = await grade(file, one, { mode: "plain", rule });
    assert.deepEqual(fast.outcome, plain.outcome, `seed ${seed}: ${JSON.stringify(one.scenarios)}`);
    passed += fast.passed;
    writeFileSync(file, readable(one.log, one.lineBytes));
    const quick = await grade(file, one, { mode: "quick", rule });
    const whole = await grade(file, one, { mode: "plain", rule });
    assert.deepEqual(withoutUnchecked(quick.outcome), whole.outcome, `readable lines of seed ${seed}`);
    unchecked += quick.outcome.summary.linesUnchecked ?? 0;
  }
  assert.ok(passed > 10 * (count ?? 0), `only ${passed} events were passed`);
  assert.ok(unchecked > 5 * (count ?? 0), `only ${unchecked} lines were taken for readable`);
});
