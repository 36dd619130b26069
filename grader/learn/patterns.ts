import type { JsonValue } from "../../proxy/record/json.ts";
import { parseOperand } from "../scenario/operand.ts";
import { CLAIM_NAME, EFFECT_NAME, NOISE_NAME, READ_NAME } from "./classes.ts";
import type { FailureWord } from "./event-words.ts";
import type { Fact } from "./facts.ts";
import type { Model } from "./model.ts";
import type { Leaf } from "./trace.ts";

/** A map of field tests as it is written in a scenario. */
export type WhereText = { [key: string]: JsonValue };

/** A value as a field test compares it with, `$` doubled where it would name a variable. */
export function literal(value: JsonValue): JsonValue {
  if (typeof value === "string") {
    const read = parseOperand(value);
    return read.kind === "literal" && read.value === value ? value : value.replaceAll("$", "$$$$");
  }
  if (Array.isArray(value)) return value.map(literal);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, literal(inner)]));
}

/** The field tests of facts, by path; facts inside one text are one test. */
export function factTests(facts: readonly Fact[]): WhereText {
  const tests: WhereText = {};
  const inside = new Map<string, Fact[]>();
  for (const fact of facts) {
    if (fact.within !== undefined) {
      const same = inside.get(fact.within.path);
      if (same === undefined) inside.set(fact.within.path, [fact]);
      else same.push(fact);
      continue;
    }
    if (fact.kind === "is" && typeof fact.value === "bigint") tests[`${fact.path}|str`] = String(fact.value);
    else if (fact.kind === "is") tests[fact.path] = literal(fact.value);
    else if (fact.kind === "param") tests[fact.path] = fact.value;
    else tests[`${fact.path}|${fact.kind}`] = literal(fact.value);
  }
  for (const [path, held] of inside) {
    const whole = held.find(({ within }) => within?.keys.length === 0);
    const nested = whole === undefined ? nest(held) : whole.value;
    if (nested !== undefined) tests[`${path}|like`] = literal(nested);
  }
  return tests;
}

/** Facts inside a text as the map they are part of; those inside lists of maps cannot be said there. */
function nest(facts: readonly Fact[]): JsonValue | undefined {
  const root: WhereText = {};
  for (const { within, value } of facts) {
    const keys = within?.keys ?? [];
    if (keys.some((key) => key.startsWith("["))) continue;
    let at = root;
    for (const key of keys.slice(0, -1)) {
      const inner = at[key];
      const next = typeof inner === "object" && inner !== null && !Array.isArray(inner) ? (inner as WhereText) : {};
      at[key] = next;
      at = next;
    }
    at[keys.at(-1) ?? ""] = value;
  }
  return Object.keys(root).length === 0 ? undefined : root;
}

/** `not: failed`; empty where no event (of that name) says whether it failed. */
export function worked({ corpus }: Pick<Model, "corpus">, name?: string): WhereText {
  const isTold = corpus.items.some((item) => item.tells && (name === undefined || item.name === name));
  return isTold ? { not: FAILED } : {};
}

/** Names of the patterns that a learned scenario defines for its own markers and rules. */
export const FAILED = "failed";
export const EFFECT = "effect";
export const WORK = "work";
export const OUTCOME = "outcome";

/** An event that says of itself that it failed. */
export function failedPattern({ words }: Pick<Model, "words">): WhereText {
  const tests = words.failures.map(({ test, value }: FailureWord) => ({ [test]: value }));
  const [only] = tests;
  return tests.length === 1 && only !== undefined ? only : { any: tests };
}

/** Any event that changes something, as the runs' events tell it or as its name does. */
export function effectPattern({ classes, words, corpus }: Model): WhereText {
  if (classes.areTold && words.writes.length > 0) return withGlobs(writeTest(words.writes), { classes, corpus });
  const named = [
    ...new Set(corpus.items.flatMap(({ name }, at) => (classes.of[at] === "effect" ? [eventName(name)] : []))),
  ].sort();
  const others = [
    ...new Set(corpus.items.flatMap(({ name }, at) => (classes.of[at] === "effect" ? [] : [eventName(name)]))),
  ].sort();
  const unknown: WhereText = {
    "event|re": EFFECT_NAME,
    not: {
      any: [
        { "event|re": READ_NAME },
        { "event|re": CLAIM_NAME },
        { "event|re": NOISE_NAME },
        ...(others.length > 0 ? [{ event: others }] : []),
      ],
    },
  };
  return named.length === 0 ? unknown : { any: [{ event: named }, unknown] };
}

function writeTest(paths: readonly string[]): WhereText {
  const tests = paths.map((path) => ({ [path]: !isReadFlag(path) }));
  const [only] = tests;
  return tests.length === 1 && only !== undefined ? only : { any: tests };
}

/** The events' own word, but for names to which a person or their name gave another class. */
function withGlobs(told: WhereText, { classes, corpus }: Pick<Model, "classes" | "corpus">): WhereText {
  const names = (test: (at: number, writes: boolean) => boolean): string[] => [
    ...new Set(corpus.items.flatMap(({ name, writes }, at) => (test(at, writes === true) ? [eventName(name)] : []))),
  ];
  const silent = names((at, writes) => classes.of[at] === "effect" && !writes).sort();
  const aside = names((at, writes) => classes.of[at] !== "effect" && writes).sort();
  const own = silent.length === 0 ? told : { any: [told, { event: silent }] };
  return aside.length === 0 ? own : { all: [own, { not: { event: aside } }] };
}

/** A name as a field test compares it with. */
export function eventName(name: string): string {
  return String(literal(name));
}

/** What tells the effects of a name from its other events, where there are both; empty where the name is enough. */
export function amongOthers(name: string, { classes, words, corpus }: Model): WhereText {
  const kinds = new Set(
    corpus.items.flatMap((item, at) => (item.name === name && !item.failed ? [classes.of[at]] : [])),
  );
  return kinds.has("effect") && kinds.size > 1 ? writeTest(words.writes) : {};
}

function isReadFlag(path: string): boolean {
  return /(?:^|\.)read/i.test(path);
}

/** Any event that is neither noise nor a claim; one called like talk is work where the events say that it changes something. */
export function workPattern(model: Model): WhereText {
  const { classes, corpus } = model;
  const isAside = (at: number): boolean => ["noise", "claim"].includes(classes.of[at] ?? "");
  const namesWhere = (test: (at: number, name: string) => boolean): string[] =>
    [...new Set(corpus.items.flatMap(({ name }, at) => (test(at, name) ? [name] : [])))].sort();
  const named = namesWhere((at, name) => isAside(at) && !NAMED_ASIDE.test(name)).map(eventName);
  const kept = namesWhere((at, name) => !isAside(at) && NAMED_ASIDE.test(name));
  const mixed = new Set(namesWhere((at, name) => isAside(at) && kept.includes(name)));
  const guessed = [{ "event|re": NOISE_NAME }, { "event|re": CLAIM_NAME }];
  const work = { not: { any: named.length === 0 ? guessed : [...guessed, { event: named }] } };
  if (kept.length === 0) return work;
  const always = kept.filter((name) => !mixed.has(name)).map(eventName);
  return {
    any: [
      work,
      ...(always.length === 0 ? [] : [{ event: always }]),
      ...(mixed.size === 0 ? [] : [{ all: [{ event: [...mixed].map(eventName) }, EFFECT] }]),
    ],
  };
}

const NAMED_ASIDE = new RegExp(`${CLAIM_NAME}|${NOISE_NAME}`);

/** The test that an answer is one of those given. */
export function answerTest(path: string, leaves: readonly Leaf[]): WhereText {
  const values = leaves.map(({ value }) => value);
  const areMaps = values.some((value) => typeof value === "object" && value !== null);
  if (areMaps)
    return values.length === 1
      ? { [`${path}|like`]: literal(values[0] ?? null) }
      : { any: values.map((value) => ({ [`${path}|like`]: literal(value) })) };
  return { [path]: values.length === 1 ? literal(values[0] ?? null) : values.map(literal) };
}
