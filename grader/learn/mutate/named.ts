import type { JsonObject } from "../../../proxy/record/json.ts";
import type { MarkerNode } from "../../scenario/ast.ts";
import { type Base, delayFrom, describeEvent, insertAt, without } from "./base.ts";
import { controls } from "./controls.ts";
import { setAt } from "./edit.ts";
import { markerDefects, swapped } from "./marker-defects.ts";
import { CONTROLS } from "./mutant.ts";
import { createRandom } from "./random.ts";
import { ruleDefects } from "./rule-defects.ts";
import { violations } from "./satisfy.ts";
import { leavesIn, nodesOf } from "./subject.ts";

/** A mutation in words, made; or why it cannot be. */
export type Named = { readonly events: readonly JsonObject[] } | { readonly problem: string };

const VERBS = ["drop", "swap", "duplicate", "delay", "change", "remove", "forbid", "cut", "move"] as const;
type NamedVerb = (typeof VERBS)[number];

/** Every word a mutation can begin with. */
export const MUTATION_WORDS: readonly string[] = [...VERBS, ...CONTROLS];

/**
 * Makes the mutation an example asks for, such as `drop: Search Results`, `swap: A, B`, `delay: A by 6s`, `change: A
 * data.count`, or a control by its name alone (docs/mutation.md has all of them).
 */
export function mutateByName(base: Base, text: string): Named {
  const groups = /^\s*(?<verb>[a-z]+)\s*(?::\s*(?<rest>.*\S))?\s*$/s.exec(text)?.groups;
  const [verb = "", rest = ""] = [groups?.["verb"], groups?.["rest"]];
  if ((CONTROLS as readonly string[]).includes(verb)) return rest === "" ? control(base, verb) : tooMuch(verb);
  if (!(VERBS as readonly string[]).includes(verb)) {
    return { problem: `"${text}" begins with no mutation; there is ${MUTATION_WORDS.join(", ")}` };
  }
  if (verb === "swap") return swap(base, rest);
  if (verb === "forbid") return forbid(base, rest);
  const name = namesIn(base).find((known) => rest === known || rest.startsWith(`${known} `));
  if (name === undefined) return unknownName(base, rest);
  const own = base.evidence.get(name) ?? [];
  if (own.length === 0) return { problem: `no event of the run was used for "${name}"` };
  const more = rest.slice(name.length).trim();
  return onMarker(base, { verb: verb as NamedVerb, name, own, more });
}

function tooMuch(verb: string): Named {
  return { problem: `"${verb}" concerns the whole run and takes no name` };
}

function control(base: Base, kind: string): Named {
  const found = controls(base, createRandom(1)).find((mutant) => mutant.kind === kind);
  return found === undefined ? { problem: `"${kind}" cannot be made of this run and scenario` } : found;
}

/** Longest first: one name may begin with another. */
function namesIn(base: Base): readonly string[] {
  return [...base.evidence.keys()].sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
}

function unknownName(base: Base, rest: string): Named {
  return { problem: `no marker is named "${rest}"; there is ${[...base.evidence.keys()].join(", ")}` };
}

interface Order {
  readonly verb: NamedVerb;
  readonly name: string;
  /** The events that the marker uses. */
  readonly own: readonly number[];
  readonly more: string;
}

function onMarker(base: Base, order: Order): Named {
  const { verb, own, more } = order;
  if (verb === "delay") return delay(base, order);
  if (verb === "change" || verb === "remove") return change(base, order);
  if (more !== "") return { problem: `"${more}" is too much behind "${verb}: ${order.name}"` };
  const [first = 0] = own;
  switch (verb) {
    case "drop":
      return { events: without(base, own) };
    case "duplicate":
      return { events: insertAt(base, (own.at(-1) ?? 0) + 1, [base.events[own.at(-1) ?? 0] ?? {}]) };
    case "cut":
      return first === 0 ? { problem: "nothing would be left of the run" } : { events: base.events.slice(0, first) };
    default:
      return move(base, own);
  }
}

/** `delay: NAME` (just past its limit), `delay: NAME to limit`, `delay: NAME by 6s`. */
function delay(base: Base, { name, own, more }: Order): Named {
  const by = /^by (?<count>\d+(?:\.\d+)?)(?<unit>ms|s|m|h|d)$/.exec(more)?.groups;
  if (by !== undefined) {
    const unit = UNITS_MS[by["unit"] as keyof typeof UNITS_MS];
    return { events: delayFrom(base, own[0] ?? 0, Number(by["count"]) * unit) };
  }
  if (more !== "" && more !== "to limit") {
    return { problem: `"${more}" says no delay; write "to limit", or "by" and a duration such as 6s` };
  }
  const kind = more === "" ? "delay" : "limit";
  const mutants = kind === "delay" ? markerDefects(base) : controls(base, createRandom(1));
  const nodes = new Set(
    nodesOf(base.subject.scenario.markers.filter((node) => isOrHolds(node, name))).map((one) => one.name),
  );
  const found = mutants.find(
    ({ kind: made, target, what }) =>
      made === kind && (target === undefined ? what.includes(eventOf(base, own)) : nodes.has(target.name)),
  );
  return found ?? { problem: `"${name}" has no limit; write how long, such as "delay: ${name} by 6s"` };
}

const UNITS_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

function isOrHolds(node: MarkerNode, name: string): boolean {
  return nodesOf([node]).some((one) => one.name === name);
}

function eventOf(base: Base, own: readonly number[]): string {
  return describeEvent(base, own.at(-1) ?? 0);
}

/** `change: NAME PATH` (so that its test fails), `remove: NAME PATH`; in every event the marker uses. */
function change(base: Base, { verb, name, own, more }: Order): Named {
  const { subject } = base;
  const leaves = leavesIn(nodesOf(subject.scenario.markers).filter((node) => node.name === name));
  const paths = leaves.flatMap((leaf) => [
    ...fieldsOf(leaf.where),
    ...leaf.capture.map(({ path }) => ({ path, test: undefined })),
  ]);
  const field = paths.find(({ path }) => path.text === more) ?? (more === "" ? paths[0] : undefined);
  if (field === undefined) {
    return {
      problem: `"${name}" tests no field "${more}"; it has ${[...new Set(paths.map(({ path }) => path.text))].join(", ")}`,
    };
  }
  const events = base.events.map((event, index) => {
    if (!own.includes(index)) return event;
    if (verb === "remove" || field.test === undefined)
      return setAt(event, field.path, verb === "remove" ? undefined : "changed") ?? event;
    return violations(subject, field.test, base.bindings, event)[0] ?? event;
  });
  return events.every((event, index) => event === base.events[index])
    ? { problem: `"${more}" of "${name}" could not be changed` }
    : { events };
}

type Where = Parameters<typeof violations>[1];

/** Every field test in a pattern, with its path. */
function fieldsOf(
  where: Where,
): readonly { readonly path: Parameters<typeof setAt>[1]; readonly test: Where | undefined }[] {
  if (where.kind === "field" || where.kind === "nested") return [{ path: where.path, test: where }];
  return where.kind === "not" ? fieldsOf(where.item) : where.items.flatMap(fieldsOf);
}

function swap(base: Base, rest: string): Named {
  const names = namesIn(base);
  for (const first of names.filter((name) => rest.startsWith(name))) {
    const second = /^\s*(?:,|and)\s*(?<name>.*)$/s.exec(rest.slice(first.length))?.groups?.["name"];
    if (second === undefined || !names.includes(second)) continue;
    const [a, b] = [base.evidence.get(first)?.[0], base.evidence.get(second)?.[0]];
    if (a === undefined || b === undefined || a === b) return { problem: `the run used no two events for "${rest}"` };
    return { events: swapped(base, Math.min(a, b), Math.max(a, b)) };
  }
  return {
    problem: `"${rest}" does not name two markers; write "swap: ${[...base.evidence.keys()].slice(0, 2).join(", ")}"`,
  };
}

/** A rule broken in the first way its verb can be, or what a marker's `without` does not allow. */
function forbid(base: Base, rest: string): Named {
  const mutants = [...ruleDefects(base), ...markerDefects(base)].filter(({ target }) => target?.name === rest);
  const found = mutants.find(({ kind }) => kind === "forbid") ?? mutants.find(({ target }) => target?.kind === "rule");
  if (found !== undefined) return found;
  const rules = base.subject.scenario.rules.map(({ name }) => name);
  const markers = nodesOf(base.subject.scenario.markers).filter(
    (node) => node.without !== undefined || node.immediately,
  );
  return {
    problem: `"${rest}" forbids nothing; there is ${[...rules, ...markers.map(({ name }) => name)].join(", ") || "no rule"}`,
  };
}

/** Into another session. */
function move(base: Base, own: readonly number[]): Named {
  const { session } = base.subject.scenario.events;
  if (session === undefined) return { problem: "the scenario splits no sessions" };
  const events = base.events.map((event, index) =>
    own.includes(index) ? session.reduce((made, path) => setAt(made, path, "waymark-elsewhere") ?? made, event) : event,
  );
  return { events };
}
