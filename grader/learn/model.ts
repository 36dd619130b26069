import { type Classes, type ClassGlobs, classify } from "./classes.ts";
import { isDeed } from "./deeds.ts";
import type { Words } from "./distil.ts";
import { createFactReader, type FactReader } from "./facts.ts";
import { type Graph, mergeStates } from "./merge.ts";
import { type Order, orderSteps, precedes, wanderers } from "./order.ts";
import { findOutcome, type Outcome } from "./outcome.ts";
import { findLooks, type Looks } from "./pictures/looks.ts";
import { buildPta } from "./pta.ts";
import { findSteps, type Step, twinKey } from "./steps.ts";
import type { Corpus } from "./trace.ts";

/** How to learn. */
export interface LearnOptions {
  readonly classes?: ClassGlobs;
  /** No event name that no good run had; by itself only for logs that look machine-made. */
  readonly closedWorld?: boolean;
  /** Time limits from the runs (true). */
  readonly within?: boolean;
}

/** Everything that was learned from the runs, before it is written down. */
export interface Model {
  readonly corpus: Corpus;
  readonly words: Words;
  readonly classes: Classes;
  readonly reader: FactReader;
  readonly steps: readonly Step[];
  /** What the runs' screenshots show; empty without any. */
  readonly looks: Looks;
  readonly graph: Graph;
  readonly order: Order;
  /** Reads that every run has, as advisory markers: the index of the piece each stands before. */
  readonly advisory: readonly { readonly step: number; readonly before: number }[];
  /** Events that some runs do without, in the same way; for people to read, they decide nothing. */
  readonly optional: readonly { readonly step: number; readonly before: number }[];
  readonly outcome: Outcome | undefined;
  readonly isClosed: boolean;
  /** The log was taken for machine-made without anyone saying so. */
  readonly closedByGuess: boolean;
  /** Why a pass of the scenario proves little; empty when nothing speaks against it. */
  readonly provisional: readonly string[];
}

/** Learns from the runs of a corpus. Pure: the same corpus and options give the same model. */
export function learnModel(corpus: Corpus, words: Words, options: LearnOptions = {}): Model {
  const classes = classify(corpus, options.classes);
  const reader = createFactReader(corpus);
  const looks = findLooks(corpus.pictures ?? [], corpus.rulings);
  const steps = findSteps(corpus, classes, { reader, looks });
  const graph = graphOf(corpus, steps);
  const shared = steps.flatMap(({ count }, index) => (count > 0 ? [index] : []));
  const kindOf = (index: number) => steps[index]?.kind;
  const outcome = findOutcome(
    corpus,
    classes,
    shared.some((index) => kindOf(index) === "effect"),
  );
  const looksMachineMade = isMachineMade(corpus);
  const isClosed = options.closedWorld ?? looksMachineMade;
  const wanted = musts(
    shared.filter((index) => kindOf(index) !== "read"),
    shared,
    { classes, outcome },
  );
  const wandering = isClosed ? [] : wanderers(steps, wanted, (index) => isDeed(steps[index], corpus));
  const astray = new Set(wandering.filter((index) => kindOf(index) === "event"));
  const must = wanted.filter((index) => !astray.has(index));
  const order = orderSteps(steps, must, graph);
  const advisory = placed(
    steps,
    shared.filter((index) => !wanted.includes(index)),
    order,
  );
  return {
    corpus,
    words,
    classes,
    reader,
    steps,
    looks,
    graph,
    order,
    advisory,
    optional: isClosed ? [] : placed(steps, optionals(steps), order),
    outcome,
    isClosed,
    closedByGuess: isClosed && options.closedWorld === undefined,
    provisional: [...doubts(corpus, must.length + (outcome === undefined ? 0 : 1), graph), ...twins(steps, must)],
  };
}

/** Where nothing else tells good from bad, and no event says that reading changes nothing, looking things up counts. */
function musts(
  must: readonly number[],
  shared: readonly number[],
  { classes, outcome }: { classes: Classes; outcome: Outcome | undefined },
): readonly number[] {
  return must.length > 0 || outcome !== undefined || classes.areTold ? must : shared;
}

function graphOf({ traces }: Corpus, steps: readonly Step[]): Graph {
  const runs = traces.map((_, run) => {
    const spots = steps.flatMap(({ places }, step) => (places[run] ?? []).map((at) => ({ step, at })));
    return spots.sort((a, b) => a.at - b.at).map(({ step }) => step);
  });
  return mergeStates(buildPta(runs), (symbol) => symbol, runs);
}

const MOST_ADVISORY = 12;

/** App events that come at most once in a run, and not in every one. */
function optionals(steps: readonly Step[]): readonly number[] {
  return steps.flatMap(({ kind, count, places }, index) =>
    kind === "event" && count === 0 && places.every(({ length }) => length <= 1) ? [index] : [],
  );
}

/** Steps that have one place among the pieces in every run; others cannot be said in an ordered list. */
function placed(steps: readonly Step[], wanted: readonly number[], { pieces, by }: Order) {
  if (by === "subsequence") return [];
  const chosen: { step: number; before: number }[] = [];
  for (const step of wanted) {
    const before = placeAmong(step, steps, pieces);
    if (before === undefined) continue;
    const clashes = chosen.some((other) => other.before === before && !areOrdered(steps[step], steps[other.step]));
    if (!clashes && chosen.length < MOST_ADVISORY) chosen.push({ step, before });
  }
  return chosen.sort((a, b) => a.before - b.before || (isBefore(steps[a.step], steps[b.step]) ? -1 : 1));
}

function placeAmong(step: number, steps: readonly Step[], pieces: Order["pieces"]): number | undefined {
  let before = 0;
  for (const [index, piece] of pieces.entries()) {
    const members = piece.kind === "step" ? [piece.step] : piece.steps;
    const areBefore = members.every((member) => isBefore(steps[member], steps[step]));
    if (areBefore) before = index + 1;
    else if (!members.every((member) => isBefore(steps[step], steps[member]))) return undefined;
  }
  return before;
}

function isBefore(a: Step | undefined, b: Step | undefined): boolean {
  return a !== undefined && b !== undefined && precedes(a, b);
}

function areOrdered(a: Step | undefined, b: Step | undefined): boolean {
  return isBefore(a, b) || isBefore(b, a);
}

/** Fewer runs than this say little about what else a good run may hold. */
const RUNS_FOR_A_GUESS = 5;
const LEAST_LENGTH = 8;

/** Many runs of many events that say nothing but their names: what a program logs, not what an agent does. */
function isMachineMade({ items, traces }: Corpus): boolean {
  const names = new Set(items.map(({ name }) => name));
  const isBare = items.length === names.size && items.every((item) => !item.isCall && item.leaves.length <= 2);
  return isBare && traces.length >= RUNS_FOR_A_GUESS && traces.every(({ items: own }) => own.length >= LEAST_LENGTH);
}

/** Steps that differ in nothing but how their state looks: grading reads the log and sees no pictures. */
function twins(steps: readonly Step[], must: readonly number[]): readonly string[] {
  const keys = must.flatMap((step) => (steps[step]?.look === undefined ? [] : twinKey(steps[step])));
  return new Set(keys).size === keys.length
    ? []
    : ["some states differ in their pictures only, which grading by the log does not see"];
}

const ENOUGH_RUNS = 3;

function doubts({ traces }: Corpus, markers: number, graph: Graph): readonly string[] {
  const reasons: string[] = [];
  if (traces.length < ENOUGH_RUNS) {
    reasons.push(
      `learned from ${traces.length} ${traces.length === 1 ? "run" : "runs"}; three or more would say what may differ`,
    );
  }
  if (markers === 0) reasons.push("nothing that every run shares tells a good run from a bad one");
  const isOnePath = graph.edges.every(({ runs }) => runs === traces.length);
  if (traces.length >= ENOUGH_RUNS && isOnePath) {
    reasons.push("all runs went one and the same way, so what else is right was not seen");
  }
  return reasons;
}
