import type { JsonValue } from "../../proxy/record/json.ts";
import { spelledKey } from "../operators/spelled.ts";
import { isNoArgument } from "./event-words.ts";
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
}

const LONG_TEXT = 60;
const MANY_WORDS = 6;

/** Text for people, not a value: six words or more, or over 60 characters. */
export function isFreeText(value: JsonValue): boolean {
  return typeof value === "string" && (value.length > LONG_TEXT || value.trim().split(/\s+/).length >= MANY_WORDS);
}

export function createFactReader(corpus: Corpus): FactReader {
  const everywhere = constantLeaves(corpus);
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
      known = new Map(kept.map((leaf) => [leaf.path, leaf]));
      cache.set(item, known);
    }
    return known;
  };
  return {
    leaves,
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
  return facts.length > MOST_FACTS ? facts.slice(0, MOST_FACTS) : facts;
}

const MOST_FACTS = 40;

function factOf(same: readonly Leaf[], members: readonly Member[]): Fact | undefined {
  const [leaf] = same;
  if (leaf === undefined) return undefined;
  const { path, key, value } = leaf;
  const within = same.find((one) => one.within !== undefined)?.within;
  const place = { path, ...(within === undefined ? {} : { within }) };
  const param = within === undefined ? paramIn(same, members) : undefined;
  if (param !== undefined) return { ...place, kind: "param", value: param };
  if (same.every((one) => one.key === key)) {
    const isPlain = within === undefined && !Array.isArray(value) && same.every((one) => one.value === value);
    return { ...place, kind: isPlain ? "is" : "like", value: steady(same) };
  }
  if (within !== undefined || members[0]?.item.isCall === true) return undefined;
  const template = templateOf(same.flatMap((one) => (typeof one.value === "string" ? [one.value] : [])));
  if (template === undefined || same.some((one) => typeof one.value !== "string")) return undefined;
  return { ...place, kind: "re", value: template };
}

/** One spelling of a value that several have, the same whichever run comes first. */
function steady(same: readonly Leaf[]): JsonValue {
  const spelled = same.map(({ value }) => ({
    value,
    text: `${typeof value}${JSON.stringify(value) ?? String(value)}`,
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
