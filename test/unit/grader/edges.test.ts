import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { type GradeRequest, gradeLogs } from "../../../grader/grade.ts";
import { parseScenario } from "../../../grader/scenario/parse-scenario.ts";
import { scratchFolder } from "../../support/scratch.ts";

const START = '{"name":null,"$capture":{"control":"start","at":"2026-01-31T12:00:00.000Z"}}\n';
const A_THEN_B = "markers:\n  - { name: first, event: a }\n  - { name: last, event: b }\n";
const NO_SCAN = "rules:\n  - never: { event: zzz }\n";

function event(name: string, capture?: object): string {
  return `${JSON.stringify({ name, ...(capture === undefined ? {} : { $capture: capture }) })}\n`;
}

function control(kind: string, more: object): string {
  return `${JSON.stringify({ name: null, $capture: { control: kind, ...more } })}\n`;
}

/** An event whose line is that long, without its end. */
function long(name: string, length: number): string {
  const bare = JSON.stringify({ name, pad: "" }).length;
  return JSON.stringify({ name, pad: "x".repeat(length - bare) });
}

function timed(name: string, second: number): string {
  return `${JSON.stringify({ name, time: new Date(Date.UTC(2026, 0, 31, 12, 0, second)).toISOString() })}\n`;
}

/** The text with one byte that no UTF-8 has. */
function damaged(text: string, at: number): Buffer {
  const bytes = Buffer.from(text);
  bytes[at] = 0xff;
  return bytes;
}

const idle = event("idle");
const [P, Q] = [
  { host: "h", path: "/p" },
  { host: "h", path: "/q" },
];
const SLASH = "markers:\n  - { name: first, event: a }\n  - { name: last, event: b, where: { data.path: a/b } }\n";
const UNDECODED = control("x", { ...P, format: "raw", undecoded: "why" }).replace('"control":"x",', "");

interface Edge {
  readonly log: string | Buffer;
  /** What stands in the scenario beside its head; an event `a`, then `b` unless given. */
  readonly scenario?: string;
  readonly more?: Partial<GradeRequest>;
  readonly expected: readonly [verdict: string, events: number, linesBad: number | null];
  readonly reason?: RegExp;
}

const EDGES: Readonly<Record<string, Edge>> = {
  "what an earlier capture had found is awaited again in the next one, though its events were passed before": {
    log: START + event("a") + idle + event("a").repeat(3) + START + event("a") + event("b"),
    expected: ["pass", 2, 0],
  },
  "an awaited name is seen behind more names than are told apart": {
    log: event("a") + Array.from({ length: 5000 }, (_, at) => event(`n${at}`)).join("") + event("b"),
    expected: ["pass", 5002, 0],
  },
  "endpoints that an earlier capture knew are learned anew in the next one": {
    log: [
      START,
      event("idle", P).repeat(3),
      event("idle", Q).repeat(3),
      START,
      event("a", Q),
      event("idle", Q).repeat(3),
      UNDECODED,
      event("idle", Q).repeat(3),
      event("idle", P).repeat(3),
    ].join(""),
    expected: ["inconclusive", 10, 0],
    reason: /a request of h could not be read/,
  },
  "CR LF does not count against the limit of a line's length": {
    log: [long("a", 500), long("idle", 500), long("idle", 500), long("b", 500), ""].join("\r\n"),
    scenario: `limits: { line_bytes: 500 }\n${A_THEN_B}`,
    expected: ["pass", 4, 0],
  },
  "a line of one byte over the limit is a bad one, also among lines that are passed": {
    log: [long("a", 500), long("idle", 500), long("idle", 501), long("idle", 500), ""].join("\n"),
    scenario: `limits: { line_bytes: 500 }\n${A_THEN_B}`,
    expected: ["inconclusive", 3, 1],
  },
  "byte order mark and CR LF of a line of the limit, too long for a block, do not count": {
    log: `\ufeff${long("a", 2_000_000)}\r\n${event("b")}`,
    scenario: `limits: { line_bytes: 2000000 }\n${A_THEN_B}`,
    expected: ["pass", 2, 0],
  },
  "the same where every line is parsed": {
    log: `\ufeff${long("a", 2_000_000)}\r\n${event("b")}`,
    scenario: `limits: { line_bytes: 2000000 }\n${A_THEN_B}${NO_SCAN}`,
    expected: ["pass", 2, 0],
  },
  "a session ends by silence, which only times of passed events can break": {
    log: timed("a", 0) + Array.from({ length: 20 }, (_, at) => timed("idle", 30 * at)).join("") + timed("b", 600),
    scenario: `events: { idle: 1m }\n${A_THEN_B}`,
    expected: ["pass", 22, 0],
  },
  "what an alternative in a block forbids in between is seen": {
    log: event("a") + idle.repeat(3) + event("b"),
    scenario:
      "markers:\n  - { name: first, event: a }\n  - one_of:\n      - { name: last, event: b, without: { event: idle } }\n      - { name: other, event: c }\n",
    expected: ["fail", 5, 0],
    reason: /'idle' in between \(line 4\)/,
  },
  "a slash that is spelled as an escape is a slash, also when many events like it were passed": {
    log: `${event("a")}${`${idle}{"name":"b","data":{"path":"x"}}\n`.repeat(20)}{"name":"b","data":{"path":"a\\/b"}}\n`,
    scenario: SLASH,
    expected: ["pass", 42, 0],
  },
  "a record that stands a second time behind a new start is told": {
    log: [
      START,
      event("a", { seq: 1 }),
      event("idle", { seq: 2 }),
      event("idle", { seq: 3 }),
      START,
      ...[4, 5, 1, 2].map((seq) => event("idle", { seq })),
    ].join(""),
    more: { all: true },
    expected: ["inconclusive", 5, 0],
    reason: /record 1 stands a second time/,
  },
  "a loss in an earlier capture does not excuse what the next one lacks": {
    log: [
      START + event("a") + control("loss", { records: 1 }) + control("stop", { records: 1 }),
      START + event("a") + idle + control("stop", { records: 9 }),
    ].join(""),
    expected: ["inconclusive", 2, 0],
    reason: /its writer wrote 9 records, and 2 stand there/,
  },
  "--fast takes no event for readable whose line is not, where that decides": {
    log: damaged('{"name":"a"}\n{"name":"x","k":"_"}\n', 30),
    more: { fast: true },
    expected: ["inconclusive", 1, 1],
  },
  "of two long lines in a row the second is checked from its beginning": {
    log: Buffer.concat([
      Buffer.from(`${event("a")}${long("idle", 2_500_000)}\n`),
      damaged(`${long("idle", 1_500_000)}\n`, 700_000),
      Buffer.from(event("b")),
    ]),
    expected: ["pass", 3, 1],
  },
  "what two threads read is checked for UTF-8 in both": {
    log: Buffer.concat([
      Buffer.from(event("a")),
      ...Array.from({ length: 20_000 }, (_, at) =>
        at % 500 === 250 ? damaged(`${long("idle", 1000)}\n`, 500) : Buffer.from(`${long("idle", 1000)}\n`),
      ),
      Buffer.from(event("b")),
    ]),
    more: { threads: 2 },
    expected: ["pass", 19_962, 40],
  },
};

for (const [what, { log, scenario = A_THEN_B, more = {}, expected, reason }] of Object.entries(EDGES)) {
  test(what, async (t) => {
    const file = join(scratchFolder(t), "t.log");
    writeFileSync(file, log);
    const scenarios = [parseScenario(`waymark: 1\nscenario: s\n${scenario}`, "s.yaml")];
    const { results } = (await gradeLogs({ logs: [file], scenarios, newRunId: () => "r", ...more })).document;
    assert.deepEqual(
      results.map(({ verdict, events, lines_bad }) => [verdict, events, lines_bad]),
      [expected],
      results[0]?.reason,
    );
    if (reason !== undefined) assert.match(results[0]?.reason ?? "", reason);
  });
}

test("of scenarios graded with --fast one that passes does not vouch for the others", async (t) => {
  const file = join(scratchFolder(t), "t.log");
  writeFileSync(file, damaged(`${event("a")}{"name":"idle","k":1,"z":"_"}\n${event("b")}`, 13 + 26));
  const scenarios = ["b", "c"].map((last) =>
    parseScenario(
      `waymark: 1\nscenario: ${last}\nmarkers:\n  - { name: first, event: a }\n  - { name: last, event: ${last} }\n`,
      "s.yaml",
    ),
  );
  const { results } = (await gradeLogs({ logs: [file], scenarios, newRunId: () => "r", fast: true })).document;
  assert.deepEqual(
    results.map(({ verdict }) => verdict),
    ["pass", "inconclusive"],
  );
});

test("a last line without its end counts as a line when the files before a range are counted", async (t) => {
  const folder = scratchFolder(t);
  writeFileSync(join(folder, "telemetry-0.log"), `${START}${event("x")}{"name":"x"}`);
  writeFileSync(join(folder, "telemetry-1.log"), START + event("a") + event("b"));
  const scenarios = [parseScenario(`waymark: 1\nscenario: s\n${A_THEN_B}`, "s.yaml")];
  const { results } = (await gradeLogs({ logs: [folder], scenarios, newRunId: () => "r" })).document;
  assert.deepEqual(results[0]?.match_indices, [4, 5]);
});
