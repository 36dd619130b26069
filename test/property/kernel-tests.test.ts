import assert from "node:assert/strict";
import test from "node:test";
import { type Random, seededRandom } from "../../examples/chat/random.ts";
import { Interests } from "../../grader/match/interest.ts";
import { NO_BINDINGS } from "../../grader/match/pattern.ts";
import type { LeafPlan } from "../../grader/match/plan.ts";
import { compileProgram } from "../../grader/match/program.ts";
import { createLineKernel, type LineKernel } from "../../grader/read/line-kernel.ts";
import { isObject, type JsonValue, parseJson, stringifyJson } from "../../proxy/record/json.ts";
import { scenarioFrom } from "../support/scenario-from-json.ts";

const KEYS = ["a", "b", "a.b", "b.c", "c", "é", "aa", "__proto__"];
const VALUES: readonly JsonValue[] = [
  "x",
  "X",
  "",
  "é",
  'q"q',
  "a\\b",
  "b\nc",
  "/",
  "😀",
  0,
  1,
  -1,
  10,
  0.5,
  true,
  false,
  null,
];
const NUMBERS = [
  "1.0",
  "1e0",
  "-0",
  "0.0",
  "10e-1",
  "0.50",
  "5e-1",
  "1.00000000000000001",
  "9007199254740993",
  "100e-2",
];
const PATHS = ["a", "a.b", "a.b.c", "b", "b.c", "é", "c.a", "name", "a.'b.c'"];

/** Half of them are the same, so that many tests hold. */
function drawValue(random: Random): JsonValue {
  return random.below(2) === 0 ? "x" : random.pick(VALUES);
}

/** A value's JSON, now and then spelled with escapes, or as a number nobody would write. */
function spelled(random: Random, depth: number): string {
  const draw = random.below(10);
  if (draw < 3 && depth < 4) return objectText(random, depth + 1);
  if (draw === 3 && depth < 4) return `[${spelled(random, depth + 1)},${spelled(random, depth + 1)}]`;
  if (draw === 4) return random.pick(NUMBERS);
  const text = stringifyJson(drawValue(random));
  return text.startsWith('"') && random.below(6) === 0
    ? text.replace(/[a-zA-Z/]/, (c) => `\\u00${c.charCodeAt(0).toString(16)}`)
    : text;
}

function objectText(random: Random, depth: number, first: readonly string[] = []): string {
  const space = (): string => (random.below(12) === 0 ? " " : "");
  const members = Array.from({ length: random.below(5) }, () => {
    const key = JSON.stringify(random.pick(KEYS));
    const written = random.below(20) === 0 ? key.replace("a", "\\u0061") : key;
    return `${space()}${written}${space()}:${space()}${spelled(random, depth)}`;
  });
  return `{${[...first, ...members].join(`${space()},`)}${space()}}`;
}

function eventText(random: Random): string {
  return objectText(random, 0, random.below(6) === 0 ? [] : ['"name":"n"']);
}

function drawLeaf(random: Random): LeafPlan {
  const where: Record<string, JsonValue> = { event: "n" };
  for (let tests = 1 + random.below(3); tests > 0; tests--) {
    where[random.pick(PATHS)] = random.below(3) === 0 ? [drawValue(random), drawValue(random)] : drawValue(random);
  }
  const leaf = compileProgram(scenarioFrom({ markers: [{ where }] }), new Map()).markers.flat?.[0];
  assert.ok(leaf !== undefined);
  return leaf;
}

interface Asked {
  readonly leaf: LeafPlan;
  /** How many of its tests have to hold. */
  readonly least: number;
}

/** What the kernel says of a line, and what the tests of the marker say; the first may only be too careful. */
function look(kernel: LineKernel, { leaf, least }: Asked, json: string): { isPossible: boolean; holds: boolean } {
  const program = kernel.tests.program([new Interests().in(leaf, least)]);
  if (program === undefined) return { isPossible: true, holds: true }; // nothing that bytes can tell
  kernel.blocks[0].write(`${json}\n`);
  const event = parseJson(json);
  assert.ok(isObject(event));
  const held = leaf.pattern.clauses.filter((clause) => clause.test(event, NO_BINDINGS)).length;
  const isPossible = kernel.isAwaited(kernel.blocks[0].byteOffset, program);
  assert.ok(isPossible || held < least, `${json} has ${held} of ${leaf.pattern.check.describe()}, not below ${least}`);
  return { isPossible, holds: held >= least };
}

test("what the kernel takes for impossible does not hold, and it can tell most of what does not", () => {
  const kernel = createLineKernel({ name: "name", time: "time" }, 1 << 16);
  assert.ok(kernel !== undefined, "the kernel is built and loads");
  const random = seededRandom([11]);
  const counts = { told: 0, not: 0, holds: 0 };
  for (let round = 0; round < 5000; round++) {
    const leaf = drawLeaf(random);
    const least = 1 + random.below(leaf.pattern.clauses.length);
    kernel.tests.clear();
    for (let line = 0; line < 4; line++) {
      const { isPossible, holds } = look(kernel, { leaf, least }, eventText(random));
      counts.told += isPossible ? 0 : 1;
      counts.not += holds ? 0 : 1;
      counts.holds += holds ? 1 : 0;
    }
  }
  assert.ok(counts.holds > 1000 && counts.told > 0.5 * counts.not, JSON.stringify(counts));
});
