import type { Classes, EventClass } from "./classes.ts";
import type { Fact, FactReader, Member } from "./facts.ts";
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
  /** Positions in each run, ascending; exactly `count` of them when it is not 0. */
  readonly places: readonly (readonly number[])[];
}

/** More repetitions than this of one name are not told apart. */
const MOST_REPEATS = 60;

/** The steps of the runs, in the order of names: those every run has, and one for the rest of each name. */
export function findSteps(corpus: Corpus, classes: Classes, reader: FactReader): readonly Step[] {
  const byName = placesByName(corpus, classes);
  return [...byName.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, places]) =>
      stepsOf({ name: key.slice(1), kind: KINDS[key[0] ?? ""] ?? "event", places }, corpus, reader),
    );
}

const KINDS: Readonly<Record<string, EventClass>> = { e: "effect", r: "read", v: "event" };
const LETTERS: Readonly<Partial<Record<EventClass, string>>> = { effect: "e", read: "r", event: "v" };

type Places = number[][];

/** Where each name stands; what failed did not happen. */
function placesByName({ items, traces }: Corpus, classes: Classes): Map<string, Places> {
  const byName = new Map<string, Places>();
  for (const [run, trace] of traces.entries()) {
    for (const [at, index] of trace.items.entries()) {
      const item = items[index];
      const letter = LETTERS[classes.of[index] ?? "noise"];
      if (item === undefined || letter === undefined || item.failed) continue;
      const key = letter + item.name;
      let places = byName.get(key);
      if (places === undefined) {
        places = traces.map(() => []);
        byName.set(key, places);
      }
      places[run]?.push(at);
    }
  }
  return byName;
}

interface Named {
  readonly name: string;
  readonly kind: EventClass;
  readonly places: readonly (readonly number[])[];
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

function rest({ name, kind }: Named, places: Named["places"], count: number): Step {
  return { name, kind, facts: [], leftOut: [], count, places };
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
function align(places: Named["places"], fewest: number, { corpus, reader }: Sight): readonly (readonly number[])[] {
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
    const key = JSON.stringify(step.facts.map(({ path, kind, value }) => [path, kind, String(JSON.stringify(value))]));
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
