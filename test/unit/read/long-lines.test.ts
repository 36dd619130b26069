import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { gradeLogs } from "../../../grader/grade.ts";
import { Panel, seatScenarios } from "../../../grader/panel.ts";
import { Intake, type RangeSink } from "../../../grader/read/intake.ts";
import { SeriesReader } from "../../../grader/read/reader.ts";
import { parseScenario } from "../../../grader/scenario/parse-scenario.ts";
import { scratchFolder } from "../../support/scratch.ts";

const SCENARIO = parseScenario(
  "waymark: 1\nscenario: s\nmarkers:\n  - { name: first, event: a, where: { data.k: 1 } }\n  - { name: last, event: b }\n",
  "markers/s.yaml",
);

/** Waits for the second marker as soon as the session begins. */
const OPTIONAL_FIRST = parseScenario(
  "waymark: 1\nscenario: o\nmarkers:\n  - { name: first, event: a, optional: true, where: { data.k: 1 } }\n  - { name: last, event: b }\n",
  "markers/o.yaml",
);

/** A text that no block's beginning of a line has room for. */
const FILL = "lorem é ".repeat(35_000);

function line(name: string, k: number, fill = ""): string {
  return `${JSON.stringify({ name, time: "2026-01-01T00:00:00.000Z", fill, data: { k } })}\n`;
}

/** Reads the log; without `isScanned` every line is parsed. */
async function read(
  file: string,
  isScanned: boolean,
  lineBytes: number,
  { scenario } = SCENARIO,
): Promise<{ seen: number; outcome: unknown }> {
  const panel = new Panel(seatScenarios([{ scenario }], new Map()));
  let seen = 0;
  const sink: RangeSink = {
    restart: () => panel.restart(),
    event: (event, place) => {
      seen += 1;
      panel.event(event, place);
    },
    tick: (atMs) => panel.tick(atMs),
    gap: (place, why) => panel.gap(place, why),
    ...(isScanned ? { selection: panel.selection } : {}),
  };
  const intake = new Intake({ rule: { kind: "all" }, sink });
  const reader = new SeriesReader(intake, { lineBytes, blockBytes: 1 << 16 });
  reader.extend([{ file }]);
  await reader.drain();
  await reader.close();
  return { seen, outcome: { summary: intake.finish(), outcomes: panel.finish({ kind: "complete" }) } };
}

test("lines longer than any block are read as parsed ones are, whatever they hold", async (t) => {
  const file = join(scratchFolder(t), "long.log");
  const idle = Array.from({ length: 20 }, (_, k) => line("idle", k)).join("");
  const long = line("idle", 7, FILL);
  const torn = long.replace('"data"', '"data');
  const lines: readonly string[] = [
    long,
    torn,
    line("a", 1, FILL),
    line("a", 2, FILL) + line("b", 0, FILL),
    line("a", 1) + line("b", 0, FILL).replace("\n", "\r\n"),
    long.replace('"name"', '"n\\u0061me"'),
    long.replace('"idle"', '"\\u0061"'),
    long.replace('"name":"idle"', '"name":7'),
    `${" ".repeat(300_000)}\n`,
    `[${"[".repeat(300_000)}\n`,
    `{"name":"idle","$capture":{"seq":1,"fill":"${FILL}"}}\n`,
    `{"name":null,"$capture":{"control":"tick","at":"2026-01-01T00:00:09.000Z","fill":"${FILL}"}}\n`,
    `{"name":"a","$capture":{"undecoded":"why","fill":"${FILL}"}}\n`,
  ];
  const bomb = Buffer.from(long);
  bomb[bomb.length - 40] = 0xff;
  const logs = lines.flatMap((one) => [one, `\ufeff${one}`, one.slice(0, -1), line("a", 1) + long + one]);
  const bytes = [bomb, ...logs.flatMap((log) => [idle + log + idle + long, log]).map((log) => Buffer.from(log))];
  let passed = 0;
  for (const [index, log] of bytes.entries()) {
    writeFileSync(file, log);
    for (const lineBytes of [1 << 24, 300_000]) {
      const scanned = await read(file, true, lineBytes);
      const parsed = await read(file, false, lineBytes);
      assert.deepEqual(scanned.outcome, parsed.outcome, `log ${index}, lines of ${lineBytes} bytes`);
      passed += parsed.seen - scanned.seen;
    }
  }
  assert.ok(passed > 1000, `only ${passed} events were passed`);
});

test("a line of 20 MB in front of the markers is validated, and the lines behind it keep their numbers", async (t) => {
  const file = join(scratchFolder(t), "huge.log");
  const row = `{"key":"${"x".repeat(1000)}","value":[1,2.5,-3e4,true,null]},`;
  const huge = `{"name":"idle","rows":[${row.repeat(20_000)}0]}\n`;
  const raised = parseScenario(
    "waymark: 1\nscenario: s\nlimits: { line_bytes: 100000000 }\nmarkers:\n  - { name: first, event: a }\n",
    "markers/s.yaml",
  );
  writeFileSync(file, `${line("idle", 1)}${huge}${huge.replace("null]", "nul]")}${line("a", 1)}`);
  const [result] = (await gradeLogs({ logs: [file], scenarios: [raised] })).document.results;
  assert.deepEqual([result?.match_indices, result?.events, result?.lines_bad], [[3], 3, 1]);
  assert.deepEqual(
    result?.bad_lines.map((bad) => bad.line),
    [3],
  );
});

/** A line of so many bytes, its end not counted. */
function lineOf(bytes: number, name: string): string {
  const head = `{"name":"${name}","data":{"k":1},"fill":"`;
  return `${head}${"x".repeat(bytes - head.length - 2)}"}\n`;
}

test("a line of more than a megabyte is looked at for a near miss only when its name fits, in another case at least", async (t) => {
  const file = join(scratchFolder(t), "large.log");
  const cases = [
    [lineOf(1 << 20, "idle"), "idle"],
    [lineOf((1 << 20) + 1, "idle"), undefined],
    [lineOf((1 << 20) + 1, "A"), "A"],
    [lineOf((1 << 20) + 1, "idle") + line("idle", 1), "idle"],
  ] as const;
  for (const [log, nearest] of cases) {
    writeFileSync(file, log);
    const scanned = await read(file, true, 1 << 24);
    assert.deepEqual(scanned.outcome, (await read(file, false, 1 << 24)).outcome);
    const [result] = (await gradeLogs({ logs: [file], scenarios: [SCENARIO] })).document.results;
    const failed = result?.markers[0]?.nearest?.failed.map(({ got }) => got);
    assert.deepEqual(failed, nearest === undefined ? undefined : [nearest]);
    assert.equal(result?.verdict, "fail");
  }
});

test("a line of more than a megabyte that opens the session is passed, and the session goes on as if it had been seen", async (t) => {
  const file = join(scratchFolder(t), "opening.log");
  const large = lineOf(3 << 20, "idle");
  const logs = [
    large,
    large + line("b", 1) + line("a", 1),
    large + large + line("a", 1) + line("b", 1),
    large.replace("\n", ""),
    line("a", 1) + large.replace("\n", ""),
    `\ufeff${large.replace("\n", "\r")}`,
  ];
  for (const log of logs) {
    writeFileSync(file, log);
    for (const scenario of [SCENARIO, OPTIONAL_FIRST]) {
      const scanned = await read(file, true, 1 << 24, scenario);
      const parsed = await read(file, false, 1 << 24, scenario);
      assert.deepEqual(scanned.outcome, parsed.outcome);
      assert.equal(parsed.seen - scanned.seen, log.split(large.trim()).length - 1);
    }
  }
});

test("of long lines with the name that is waited for, those are parsed that have the value or come closer", async (t) => {
  const file = join(scratchFolder(t), "named.log");
  const near = lineOf(2 << 20, "a").replace('"k":1', '"k":2');
  writeFileSync(file, near + near + near + lineOf(2 << 20, "a") + line("b", 1));
  const scanned = await read(file, true, 1 << 24);
  assert.deepEqual(scanned.outcome, (await read(file, false, 1 << 24)).outcome);
  assert.equal(scanned.seen, 3);
});
