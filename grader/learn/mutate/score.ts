import type { HeldRun } from "../predict.ts";
import { type Base, createBase } from "./base.ts";
import { controls, withNoise } from "./controls.ts";
import { gradeEvents, loosened } from "./grading.ts";
import { type Item, itemsOf } from "./items.ts";
import { markerDefects } from "./marker-defects.ts";
import { meaningOf } from "./meaning.ts";
import { CONTROLS, DEFECTS, type Mutant } from "./mutant.ts";
import { createRandom, type Random } from "./random.ts";
import { ruleDefects } from "./rule-defects.ts";
import type { Subject } from "./subject.ts";
import { type ControlOutcome, type DefectOutcome, type Tried, tryControl, tryDefect } from "./trial.ts";

/** Mutants graded per marker or rule, kind and run; a run that uses fifty events for one marker says the same fifty times. */
const MOST_PER_TARGET = 8;

/** A longer run has noise of its own. */
const MOST_WITH_NOISE = 2000;

export interface MutationScore {
  readonly scenario: string;
  /** The runs that were mutated. */
  readonly runs: readonly string[];
  /** Runs that do not pass, so that nothing can be planted into them, and why. */
  readonly leftOut: readonly { readonly run: string; readonly reason: string }[];
  readonly defects: readonly Tried<DefectOutcome>[];
  readonly controls: readonly Tried<ControlOutcome>[];
  readonly items: readonly Item[];
  /** caught / (caught + missed); null when there was nothing to catch. */
  readonly score: number | null;
  readonly falseAlarms: number;
}

/**
 * Puts a scenario to the test with runs that pass it: plants defects, makes controls, grades each as `waymark grade`
 * would. The same runs and seed give the same score.
 */
export async function scoreScenario(
  subject: Subject,
  runs: readonly Pick<HeldRun, "name" | "events" | "params">[],
  seed: number,
): Promise<MutationScore> {
  const random = createRandom(seed);
  const bases: Base[] = [];
  const leftOut: { run: string; reason: string }[] = [];
  for (const run of runs) {
    const base = await passingBase(subject, run);
    if (typeof base === "string") leftOut.push({ run: run.name, reason: base });
    else bases.push(base);
  }
  const defects: Tried<DefectOutcome>[] = [];
  const quiet: Tried<ControlOutcome>[] = [];
  const proven = new Set<string>();
  for (const base of bases) {
    for (const mutant of chosen([...markerDefects(base), ...ruleDefects(base)], random)) {
      const target = JSON.stringify(mutant.target);
      const tried = await tryDefect(base, mutant, proven.has(target));
      if (tried.byTarget === true) proven.add(target);
      defects.push(tried);
    }
    for (const mutant of controls(base, random)) quiet.push(await tryControl(base, mutant));
  }
  const caught = defects.filter(({ outcome }) => outcome === "caught").length;
  const missed = defects.filter(({ outcome }) => outcome === "missed").length;
  return {
    scenario: subject.scenario.id,
    runs: bases.map(({ name }) => name),
    leftOut,
    defects,
    controls: quiet,
    items: itemsOf(subject, bases, defects),
    score: caught + missed === 0 ? null : caught / (caught + missed),
    falseAlarms: [...defects, ...quiet].filter(({ outcome }) => outcome === "false_alarm").length,
  };
}

/** The run with noise between its events where that changes nothing, else as it is; or why it cannot be used. */
async function passingBase(subject: Subject, run: Pick<HeldRun, "name" | "events" | "params">): Promise<Base | string> {
  const events = loosened({ ...run });
  const grade = await gradeEvents(subject, events);
  if (grade.verdict !== "pass") {
    return grade.results.find(({ verdict }) => verdict === grade.verdict)?.reason ?? grade.verdict;
  }
  const base = createBase(subject, { name: run.name, events }, grade);
  if (events.length > MOST_WITH_NOISE) return base;
  const noisy = withNoise(base);
  if (meaningOf(subject, noisy) === "violated") return base;
  const noisyGrade = await gradeEvents(subject, noisy);
  return noisyGrade.verdict === "pass" ? createBase(subject, { name: run.name, events: noisy }, noisyGrade) : base;
}

/** So many of each kind for each marker and rule, and nothing twice. */
function chosen(mutants: readonly Mutant[], random: Random): readonly Mutant[] {
  const groups = new Map<string, Mutant[]>();
  for (const mutant of mutants) {
    const key = JSON.stringify([mutant.kind, mutant.target?.kind, mutant.target?.name, mutant.path]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [mutant]);
    else group.push(mutant);
  }
  return [...groups.values()].flatMap((group) => random.some(group, MOST_PER_TARGET));
}

/** Shares of one kind, or of all. */
export interface Tally {
  readonly caught: number;
  readonly missed: number;
  readonly equivalent: number;
  readonly undecided: number;
  readonly falseAlarms: number;
}

/** Counts outcomes of planted defects. */
export function tallyOf(defects: readonly Tried<DefectOutcome>[]): Tally {
  const count = (wanted: DefectOutcome): number => defects.filter(({ outcome }) => outcome === wanted).length;
  return {
    caught: count("caught"),
    missed: count("missed"),
    equivalent: count("equivalent"),
    undecided: count("undecided"),
    falseAlarms: count("false_alarm"),
  };
}

/** The kinds that occurred, each with its tally, in the order of the report. */
export function byKind(defects: readonly Tried<DefectOutcome>[]): readonly (Tally & { readonly kind: string })[] {
  return DEFECTS.flatMap((kind) => {
    const own = defects.filter(({ mutant }) => mutant.kind === kind);
    return own.length === 0 ? [] : [{ kind, ...tallyOf(own) }];
  });
}

/** The controls that were made, by kind: how many, how many changed the verdict, how many were none here. */
export function controlsByKind(tried: readonly Tried<ControlOutcome>[]) {
  return CONTROLS.flatMap((kind) => {
    const own = tried.filter(({ mutant }) => mutant.kind === kind);
    const count = (wanted: ControlOutcome): number => own.filter(({ outcome }) => outcome === wanted).length;
    if (own.length === 0) return [];
    return [
      {
        kind,
        quiet: count("quiet"),
        falseAlarms: count("false_alarm"),
        void: count("void"),
        undecided: count("undecided"),
      },
    ];
  });
}
