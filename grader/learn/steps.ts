import { stringifyJson } from "../../proxy/record/json.ts";
import type { Classes, EventClass } from "./classes.ts";
import type { Fact, FactReader, Member } from "./facts.ts";
import type { Look, Looks } from "./pictures/looks.ts";
import type { Corpus } from "./trace.ts";

/** Events of the runs that are one and the same thing: a name with the facts they share. */
export interface Step {
  readonly name: string;
  readonly kind: EventClass;
  readonly facts: readonly Fact[];
  /** Facts that are different in every run, as the comment names them. */
  readonly leftOut: readonly string[];
  /** How often every run has it; 0 for one that some runs do without. */
  readonly count: number;
  /** A path whose values differ among the repetitions within every run. */
  readonly distinct?: string;
  /** What its state looks like, where the runs have screenshots: steps of other looks are other steps. */
  readonly look?: Look;
  /** Positions in each run, ascending; exactly `count` of them when it is not 0. */
  readonly places: readonly (readonly number[])[];
}

/** More repetitions than this of one name are not told apart. */
const MOST_REPEATS = 60;

/** The steps of the runs, in the order of names: those every run has, and one for the rest of each name. */
export function findSteps(
  corpus: Corpus,
  classes: Classes,
  { reader, looks }: { readonly reader: FactReader; readonly looks: Looks },
): readonly Step[] {
  const byName = placesByName(corpus, classes, looks);
  return [...byName.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, named]) => stepsOf(named, corpus, reader));
}

const LETTERS: Readonly<Partial<Record<EventClass, string>>> = { effect: "e", read: "r", event: "v" };

interface Named {
  readonly name: string;
  readonly kind: EventClass;
  readonly look?: Look;
  readonly places: readonly number[][];
}

/** Where each name stands, and in which look; what failed did not happen. */
function placesByName({ items, traces }: Corpus, classes: Classes, looks: Looks): Map<string, Named> {
  const byKey = new Map<string, Named>();
  const keys = items.map(({ name, failed }, index) => {
    const letter = LETTERS[classes.of[index] ?? "noise"];
    return letter === undefined || failed ? undefined : letter + name;
  });
  const namedFor = (plain: string, index: number, look: Look | undefined): Named => {
    const key = look === undefined ? plain : `${plain}\u0000${look.id}`;
    let named = byKey.get(key);
    if (named === undefined) {
      const kind = classes.of[index] ?? "event";
      named = { name: plain.slice(1), kind, places: traces.map(() => []), ...(look === undefined ? {} : { look }) };
      byKey.set(key, named);
    }
    return named;
  };
  for (const [run, { items: own, pictures }] of traces.entries()) {
    for (let at = 0; at < own.length; at++) {
      const plain = keys[own[at] ?? -1];
      if (plain === undefined) continue;
      const look = pictures === undefined ? undefined : looks.of.get(pictures.get(at) ?? "");
      namedFor(plain, own[at] ?? -1, look).places[run]?.push(at);
    }
  }
  return byKey;
}

function stepsOf(named: Named, corpus: Corpus, reader: FactReader): readonly Step[] {
  const { places } = named;
  const fewest = Math.min(...places.map(({ length }) => length));
  if (fewest === 0) return [rest(named, places, 0)];
  if (fewest > MOST_REPEATS) return [crowd(named, fewest, { corpus, reader })];
  const groups = align(places, fewest, { corpus, reader });
  const steps = groups.map((group) => stepOf(named, group, { corpus, reader }));
  const taken = places.map((_, run) => new Set(groups.map((group) => group[run] ?? -1)));
  const left = places.map((own, run) => own.filter((at) => taken[run]?.has(at) !== true));
  const merged = mergeEqual(steps, corpus, reader);
  return left.some(({ length }) => length > 0) ? [...merged, rest(named, left, 0)] : merged;
}

function rest({ name, kind, look }: Named, places: Step["places"], count: number): Step {
  return { name, kind, facts: [], leftOut: [], count, places, ...(look === undefined ? {} : { look }) };
}

interface Sight {
  readonly corpus: Corpus;
  readonly reader: FactReader;
}

/** Too many to tell apart: what all of them share. */
function crowd(named: Named, fewest: number, { corpus, reader }: Sight): Step {
  const kinds = new Set(named.places.flatMap((own, run) => own.map((at) => corpus.traces[run]?.items[at] ?? -1)));
  const members = [...kinds]
    .sort((a, b) => a - b)
    .flatMap((index) => {
      const item = corpus.items[index];
      return item === undefined ? [] : [{ item, params: new Map() }];
    });
  const facts = members.length > 5000 ? [] : reader.shared(members);
  return {
    ...rest(
      named,
      named.places.map((own) => own.slice(0, fewest)),
      fewest,
    ),
    facts,
  };
}

/**
 * Which event of each run is which, for as many as every run has: a run with the fewest leads, and of all pairs with
 * another run's events those with most in common go together first, earlier ones before later ones.
 */
function align(places: Step["places"], fewest: number, { corpus, reader }: Sight): readonly (readonly number[])[] {
  const leader = places.findIndex(({ length }) => length === fewest);
  const leading = places[leader] ?? [];
  const groups = leading.map(() => new Array<number>(places.length).fill(-1));
  for (const [run, own] of places.entries()) {
    if (run === leader) {
      for (const [index, at] of leading.entries()) set(groups[index], run, at);
      continue;
    }
    const near = own.slice(0, MOST_REPEATS * 10);
    const pairs = leading.flatMap((a, index) =>
      near.map((b, other) => ({ index, other, at: b, score: likeness(corpus, reader, [leader, a], [run, b]) })),
    );
    pairs.sort((a, b) => b.score - a.score || a.index - b.index || a.other - b.other);
    const used = new Set<number>();
    for (const { index, other, at } of pairs) {
      if (used.has(other) || (groups[index]?.[run] ?? 0) !== -1) continue;
      used.add(other);
      set(groups[index], run, at);
    }
  }
  return groups;
}

function set(group: number[] | undefined, run: number, at: number): void {
  if (group !== undefined) group[run] = at;
}

type Spot = readonly [run: number, at: number];

function likeness({ items, traces }: Corpus, reader: FactReader, [runA, a]: Spot, [runB, b]: Spot): number {
  const one = items[traces[runA]?.items[a] ?? -1];
  const other = items[traces[runB]?.items[b] ?? -1];
  if (one === undefined || other === undefined) return 0;
  return one === other ? 1000 : reader.likeness(one, other);
}

function membersOf(group: readonly number[], { items, traces }: Corpus): readonly Member[] {
  return group.flatMap((at, run) => {
    const trace = traces[run];
    const item = items[trace?.items[at] ?? -1];
    return trace === undefined || item === undefined ? [] : [{ item, params: trace.params }];
  });
}

function stepOf(named: Named, group: readonly number[], { corpus, reader }: Sight): Step {
  const members = membersOf(group, corpus);
  const facts = reader.shared(members);
  const known = new Set(facts.map(({ path }) => path));
  const paths = new Set(members.flatMap(({ item }) => [...reader.leaves(item).keys()]));
  const leftOut = [...paths].filter((path) => !known.has(path)).sort();
  return {
    ...rest(
      named,
      group.map((at) => [at]),
      1,
    ),
    facts,
    leftOut,
  };
}

/** Steps of one name with the same facts are one step that comes several times. */
function mergeEqual(steps: readonly Step[], corpus: Corpus, reader: FactReader): readonly Step[] {
  const byFacts = new Map<string, Step[]>();
  for (const step of steps) {
    const key = JSON.stringify(step.facts.map(({ path, kind, value }) => [path, kind, stringifyJson(value)]));
    const same = byFacts.get(key);
    if (same === undefined) byFacts.set(key, [step]);
    else same.push(step);
  }
  return [...byFacts.values()].map((same) =>
    same.length === 1 && same[0] !== undefined ? same[0] : joined(same, corpus, reader),
  );
}

function joined(same: readonly Step[], corpus: Corpus, reader: FactReader): Step {
  const [first] = same as readonly [Step, ...Step[]];
  const places = first.places.map((_, run) => same.flatMap((step) => step.places[run] ?? []).sort((a, b) => a - b));
  const leftOut = [...new Set(same.flatMap((step) => step.leftOut))].sort();
  const distinct = leftOut.find((path) =>
    places.every((own, run) => {
      const keys = own.map((at) => {
        const item = corpus.items[corpus.traces[run]?.items[at] ?? -1];
        return item === undefined ? undefined : reader.leaves(item).get(path)?.key;
      });
      return !keys.includes(undefined) && new Set(keys).size === keys.length;
    }),
  );
  return { ...first, leftOut, count: same.length, places, ...(distinct === undefined ? {} : { distinct }) };
}

/** The same for steps that no event tells apart. */
export function twinKey(step: Step | undefined): string {
  const facts = step?.facts.map(({ path, kind, value }) => [path, kind, String(stringifyJson(value))]);
  return JSON.stringify([step?.name, facts]);
}
