import { type JsonValue, stringifyJson } from "../../proxy/record/json.ts";
import { like } from "../operators/like.ts";
import { spelledKey } from "../operators/spelled.ts";
import { parsePath } from "../scenario/path.ts";
import { isNoArgument } from "./event-words.ts";
import { keyPath } from "./leaves.ts";
import { templateOf } from "./template.ts";
import type { Corpus, Item, Leaf } from "./trace.ts";

/** What all events of a step have in common at one path. */
export interface Fact {
  readonly path: string;
  /** `is` in one spelling, `like` in several (or inside a text), `re` for a text with changing parts, `param` for a goal's value. */
  readonly kind: "is" | "like" | "re" | "param";
  /** The value, the pattern, or the text with `$name` in it. */
  readonly value: JsonValue;
  readonly within?: Leaf["within"];
}

/** An event of one run that belongs to a step. */
export interface Member {
  readonly item: Item;
  readonly params: ReadonlyMap<string, JsonValue>;
}

/** Reads facts of events; knows what says nothing because every event has it. */
export interface FactReader {
  /** Facts that all members share, by path. */
  shared(members: readonly Member[]): readonly Fact[];
  /** How much two events of one name have in common. */
  likeness(a: Item, b: Item): number;
  /** Argument leaves of an item by path, without free text and what every event has. */
  leaves(item: Item): ReadonlyMap<string, Leaf>;
  /** True when a fact's value is that of the leaf, however both are spelled. */
  sameValue(value: JsonValue, leaf: Leaf): boolean;
}

const LONG_TEXT = 60;
const MANY_WORDS = 6;

/** Text for people, not a value: six words or more, or over 60 characters. */
export function isFreeText(value: JsonValue): boolean {
  return typeof value === "string" && (value.length > LONG_TEXT || value.trim().split(/\s+/).length >= MANY_WORDS);
}

export function createFactReader(corpus: Corpus): FactReader {
  const everywhere = constantLeaves(corpus);
  const inTexts = textContainers(corpus);
  const cache = new Map<Item, ReadonlyMap<string, Leaf>>();
  const leaves = (item: Item): ReadonlyMap<string, Leaf> => {
    let known = cache.get(item);
    if (known === undefined) {
      const kept = item.leaves.filter(
        (leaf) =>
          !isNoArgument(leaf.path) &&
          !everywhere.has(`${leaf.path}\n${leaf.key}`) &&
          !(item.isCall && isFreeText(leaf.value)),
      );
      known = new Map(kept.map((leaf) => [leaf.path, inText(leaf, inTexts)]));
      cache.set(item, known);
    }
    return known;
  };
  return {
    leaves,
    sameValue: (value, leaf) => like.test(value, leaf.value, { ignoreCase: false }),
    shared: (members) => sharedFacts(members, leaves),
    likeness(a, b) {
      const others = leaves(b);
      let score = 0;
      for (const [path, { key, value }] of leaves(a)) {
        const other = others.get(path);
        if (other?.key === key) score += 1;
        else if (!a.isCall && typeof value === "string" && typeof other?.value === "string") {
          if (templateOf([value, other.value]) !== undefined) score += 0.5;
        }
      }
      return score;
    },
  };
}

/** Leaves that every event of the runs has, whatever its name: the app's version, the machine, the session. */
function constantLeaves({ items }: Corpus): ReadonlySet<string> {
  const names = new Set(items.map(({ name }) => name));
  const [first] = items;
  if (names.size < 3 || first === undefined) return new Set();
  let shared = new Set(first.leaves.map(({ path, key }) => `${path}\n${key}`));
  for (const { leaves } of items) {
    if (shared.size === 0) break;
    const own = new Set(leaves.map(({ path, key }) => `${path}\n${key}`));
    shared = new Set([...shared].filter((one) => own.has(one)));
  }
  return shared;
}

function sharedFacts(members: readonly Member[], leaves: FactReader["leaves"]): readonly Fact[] {
  const [first] = members;
  if (first === undefined) return [];
  const others = members.slice(1).map(({ item }) => leaves(item));
  const facts = [...leaves(first.item).values()].flatMap((leaf): readonly Fact[] => {
    const same = [leaf, ...others.flatMap((one) => one.get(leaf.path) ?? [])];
    if (same.length < members.length) return [];
    const fact = factOf(same, members);
    return fact === undefined ? [] : [fact];
  });
  const said = wholeLists(facts, members, leaves);
  return said.length > MOST_FACTS ? said.slice(0, MOST_FACTS) : said;
}

/**
 * Facts inside a list of maps inside a text: all of them as one fact when the whole list is shared, else none, because a
 * part of such a list cannot be tested.
 */
function wholeLists(facts: readonly Fact[], members: readonly Member[], leaves: FactReader["leaves"]): readonly Fact[] {
  const lists = new Map<string, Fact[]>();
  for (const fact of facts) {
    const root = listRoot(fact);
    if (root === undefined) continue;
    const same = lists.get(root);
    if (same === undefined) lists.set(root, [fact]);
    else same.push(fact);
  }
  if (lists.size === 0) return facts;
  const wholes = [...lists].flatMap(([root, inside]): readonly Fact[] => {
    const isWhole = members.every(
      ({ item }) => [...leaves(item).keys()].filter((path) => path.startsWith(`${root}[`)).length === inside.length,
    );
    const [first] = inside;
    const keys = first?.within?.keys ?? [];
    const depth = keys.findIndex((key) => key.startsWith("["));
    if (!isWhole || first?.within === undefined) return [];
    const value = listOf(inside, depth);
    return [{ path: root, kind: "like", value, within: { path: first.within.path, keys: keys.slice(0, depth) } }];
  });
  return [...facts.filter((fact) => listRoot(fact) === undefined), ...wholes].sort((a, b) =>
    a.path < b.path ? -1 : 1,
  );
}

/** Path of the outermost list of maps, inside a text, that a fact stands in. */
function listRoot({ within }: Fact): string | undefined {
  const depth = within?.keys.findIndex((key) => key.startsWith("[")) ?? -1;
  if (within === undefined || depth === -1) return undefined;
  return within.keys.slice(0, depth).reduce(keyPath, within.path);
}

type Building = JsonValue[] | { [key: string]: JsonValue | Building };

function listOf(facts: readonly Fact[], depth: number): JsonValue {
  const list: Building = [];
  for (const { within, value } of facts) {
    const keys = within?.keys.slice(depth) ?? [];
    let at: Building = list;
    for (const [index, key] of keys.entries()) {
      const isLast = index === keys.length - 1;
      const next: JsonValue | Building = isLast ? value : keys[index + 1]?.startsWith("[") === true ? [] : {};
      at = put(at, key, next) as Building;
    }
  }
  return list as JsonValue;
}

/** Puts a value where nothing stands yet; what stands there then. */
function put(into: Building, key: string, value: JsonValue | Building): JsonValue | Building {
  if (Array.isArray(into)) {
    const index = Number(key.slice(1, -1));
    into[index] ??= value as JsonValue;
    return into[index] ?? null;
  }
  into[key] ??= value;
  return into[key] ?? null;
}

const MOST_FACTS = 40;

function factOf(same: readonly Leaf[], members: readonly Member[]): Fact | undefined {
  const [leaf] = same;
  if (leaf === undefined) return undefined;
  const { path, key, value, within } = leaf;
  const place = { path, ...(within === undefined ? {} : { within }) };
  const param = within === undefined ? paramIn(same, members) : undefined;
  if (param !== undefined) return { ...place, kind: "param", value: param };
  if (same.every((one) => one.key === key)) {
    const isPlain = within === undefined && !Array.isArray(value) && same.every((one) => one.value === value);
    if (!isPlain && same.some((one) => holdsLongInteger(one.value))) return undefined;
    return { ...place, kind: isPlain ? "is" : "like", value: steady(same) };
  }
  if (within !== undefined || members[0]?.item.isCall === true) return undefined;
  const template = templateOf(same.flatMap((one) => (typeof one.value === "string" ? [one.value] : [])));
  if (template === undefined || same.some((one) => typeof one.value !== "string")) return undefined;
  return { ...place, kind: "re", value: template };
}

/** True for an integer beyond 2^53, or what holds one: a scenario file can only name it as the text of a single value. */
export function holdsLongInteger(value: JsonValue): boolean {
  if (typeof value !== "object" || value === null) return typeof value === "bigint";
  return Object.values(value).some(holdsLongInteger);
}

/** Paths of texts that hold lists or maps in some event, the outermost of each. */
function textContainers({ items }: Corpus): readonly string[] {
  const all = new Set(items.flatMap(({ leaves }) => leaves.flatMap(({ within }) => within?.path ?? [])));
  return [...all].filter((path) => ![...all].some((other) => other !== path && isBelow(path, other))).sort();
}

function isBelow(path: string, container: string): boolean {
  return path.startsWith(container) && /^[.[]/.test(path.slice(container.length));
}

/** A leaf below what some run spells as a text is tested through that text, which reads every spelling. */
function inText(leaf: Leaf, containers: readonly string[]): Leaf {
  const container = containers.find((path) => path === leaf.path || isBelow(leaf.path, path));
  if (container === undefined) return leaf;
  const read = parsePath(`x${leaf.path.slice(container.length)}`);
  if (!read.ok || read.path.kind !== "dotted") return leaf;
  const keys = read.path.segments
    .slice(1)
    .map((one) => (one.kind === "key" ? one.key : one.kind === "index" ? `[${one.index}]` : "[*]"));
  return { ...leaf, within: { path: container, keys } };
}

/** One spelling of a value that several have, the same whichever run comes first. */
function steady(same: readonly Leaf[]): JsonValue {
  const spelled = same.map(({ value }) => ({
    value,
    text: `${typeof value}${stringifyJson(value)}`,
  }));
  spelled.sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0));
  return spelled[0]?.value ?? null;
}

const SHORTEST_PARAM = 3;

/** `$name` when every run has its own parameter's value there, or a text around it. */
function paramIn(same: readonly Leaf[], members: readonly Member[]): string | undefined {
  const names = [...(members[0]?.params.keys() ?? [])].sort();
  for (const name of names) {
    const texts = same.map(({ key, value }, index) => {
      const own = members[index]?.params.get(name);
      if (own === undefined || (typeof own === "object" && own !== null)) return undefined;
      if (spelledKey(own as string) === key && typeof own === typeof value) return `$${name}`;
      if (typeof own !== "string" || typeof value !== "string" || own.length < SHORTEST_PARAM) return undefined;
      return value.includes(own) ? value.replaceAll("$", "$$$$").replaceAll(own, `\${${name}}`) : undefined;
    });
    const [text] = texts;
    if (text !== undefined && texts.every((one) => one === text)) return text;
  }
  return undefined;
}
