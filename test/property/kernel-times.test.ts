import assert from "node:assert/strict";
import test from "node:test";
import { type Random, seededRandom } from "../../examples/chat/random.ts";
import { createTimeReader } from "../../grader/match/event-time.ts";
import { PASS } from "../../grader/read/kernel-fold.ts";
import { createLineKernel, type LineKernel, NAMELESS } from "../../grader/read/line-kernel.ts";
import type { NumberTimes } from "../../grader/read/selection.ts";
import type { EventProfile } from "../../grader/scenario/ast.ts";
import { isObject, parseJson } from "../../proxy/record/json.ts";
import { scenarioFrom } from "../support/scenario-from-json.ts";

const DAY = "2026-03-29";

/** What the kernel reads in a line with this time; undefined when it leaves the line to JavaScript. */
function byKernel(kernel: LineKernel, time: string, numberTimes: NumberTimes | undefined): number | undefined {
  const [block] = kernel.blocks;
  const at = block.byteOffset;
  const length = block.write(`${DAY}{"time":${time}}\n`);
  kernel.passing.knowDay(at, Date.parse(`${DAY}T00:00:00Z`));
  kernel.passing.mostBytes = 1000;
  kernel.passing.settle(NAMELESS, PASS);
  kernel.passing.numberTimes = numberTimes;
  kernel.passing.begin(0);
  assert.equal(kernel.scan(at + DAY.length, at + length), 1);
  const stop = kernel.fold(0, 1);
  return stop === 1 ? kernel.passing.passed(0, 1).times?.first : undefined;
}

/** What is read of the parsed event; `first` is the time of an event before it. */
function byReader(time: string, profile: EventProfile, first?: string): number | undefined {
  const reader = createTimeReader(profile);
  if (first !== undefined) reader.of({ time: parseJson(first) });
  const event = parseJson(`{"time":${time}}`);
  assert.ok(isObject(event));
  return reader.of(event)?.at;
}

function profileOf(timeUnit?: "s" | "ms" | "us" | "ns"): EventProfile {
  const { events } = scenarioFrom({ markers: [{ where: { event: "a" } }] });
  return timeUnit === undefined ? events : { ...events, timeUnit };
}

function createKernel(): LineKernel {
  const kernel = createLineKernel({ name: "name", time: "time" }, 4096);
  assert.ok(kernel !== undefined, "the kernel is built and loads");
  return kernel;
}

const pad = (number: number): string => String(number).padStart(2, "0");

function digits(random: Random, count: number): string {
  return Array.from({ length: count }, () => random.below(10)).join("");
}

function dated(random: Random): string {
  const clock = `${pad(random.below(24))}:${pad(random.below(60))}:${pad(random.below(60))}`;
  const fraction = random.below(5) === 0 ? "" : `.${digits(random, 1 + random.below(9))}`;
  const zones = ["Z", "Z", "", "+00:00", "-05:00", "+0530", `+${pad(random.below(15))}:${pad(random.below(60))}`];
  return `"${DAY}${random.pick(["T", "T", " "])}${clock}${fraction}${random.pick(zones)}"`;
}

test("the kernel reads every time of RFC 3339 with up to nine digits as it is read of parsed events", (t) => {
  const seed = 20_260_329;
  t.diagnostic(`seed ${seed}`);
  const random = seededRandom([seed]);
  const kernel = createKernel();
  for (let run = 0; run < 20_000; run++) {
    const time = dated(random);
    const read = byKernel(kernel, time, undefined);
    assert.notEqual(read, undefined, `${time} was left to JavaScript`);
    assert.equal(read, byReader(time, profileOf()), time);
  }
});

test("a time of which a byte is wrong is read as it is read of parsed events, or not at all", () => {
  const random = seededRandom([7]);
  const kernel = createKernel();
  let left = 0;
  for (let run = 0; run < 20_000; run++) {
    const text = [...dated(random).slice(1, -1)];
    const at = random.below(text.length);
    text.splice(at, random.below(2), random.pick([..."0129:.-+TZz ,"]));
    const time = JSON.stringify(text.join(""));
    const read = byKernel(kernel, time, undefined);
    if (read === undefined) left += 1;
    else assert.equal(read, byReader(time, profileOf()), time);
  }
  assert.ok(left > 5000 && left < 20_000, `${left} were left to JavaScript`);
});

test("the kernel reads whole numbers by the unit that parsed events have", () => {
  const random = seededRandom([11]);
  const kernel = createKernel();
  const edges = ["0", "99999999", "100000000", "99999999999", "100000000000", "100000000000000", "9007199254740991"];
  const large = ["9007199254740992", "9007199254740993", "99999999999999999", "100000000000000000"];
  const some = Array.from({ length: 4000 }, () => `${1 + random.below(9)}${digits(random, random.below(19))}`);
  const units = ["s", "ms", "us", "ns"] as const;
  for (const number of [...edges, ...large, ...some]) {
    for (const time of [number, `"${number}"`, `"0${number.slice(0, 18)}"`]) {
      assert.equal(byKernel(kernel, time, undefined), undefined, time);
      assert.equal(byKernel(kernel, time, "guess"), byReader(time, profileOf(), "1767225600"), time);
      assert.equal(byKernel(kernel, time, "ms"), byReader(time, profileOf(), "5"), `${time} from some start`);
      for (const unit of units) assert.equal(byKernel(kernel, time, unit), byReader(time, profileOf(unit)), unit);
    }
  }
  for (const odd of ["-5", "1.5", "1e3", '""', '"+5"', "20000000000000000000", "true", "null"]) {
    assert.equal(byKernel(kernel, odd, "guess"), undefined, odd);
  }
});
