import type { Counts } from "../statistics/counts.ts";
import { points, share, signedPoints } from "../statistics/numbers.ts";

/** How well group B (simulated runs, say) stands for group A (live ones) on one scenario. */
export interface Fidelity {
  readonly scenario: string;
  readonly markers_sha256: string;
  /** Mean over tasks of the chance that a run of A and a run of B have the same verdict. */
  readonly agreement: Likeness | null;
  /** The same of two runs of A: what agreement can be at best, given how much A's runs differ among themselves. */
  readonly self_agreement: number | null;
  readonly majority: Majority;
  /** How alike the orders of found markers are, and of event names where the logs are there. */
  readonly marker_order: Sequences | null;
  readonly event_order: Sequences | null;
  /** Jensen-Shannon distance (0 alike, 1 nothing in common) of how often each event name comes. */
  readonly event_mix: number | null;
  /** Largest difference first. */
  readonly variants: readonly VariantFidelity[];
  readonly tasks: readonly TaskFidelity[];
  readonly words: readonly string[];
}

export interface Likeness {
  readonly estimate: number;
  /** 95 %, clustered by task; null with a single task. */
  readonly interval: { readonly low: number; readonly high: number } | null;
  readonly tasks: number;
}

/** Tasks by the verdict that most of their runs have; those evenly split have none. */
export interface Majority {
  readonly same: number;
  readonly different: number;
  readonly split: number;
  /** Cohen's kappa of the two sides' majorities; null where it does not exist. */
  readonly kappa: number | null;
}

/** Mean over tasks of the mean over pairs of runs of 1 minus the edit distance over the longer length. */
export interface Sequences extends Likeness {
  /** The same between runs of A: what similarity can be at best. */
  readonly self: number | null;
  /** Runs whose sequence was too long to be compared whole. */
  readonly cut: number;
}

export interface VariantFidelity {
  readonly variant: string;
  readonly a: Counts;
  readonly b: Counts;
  /** Rate of A minus rate of B with Newcombe's interval. */
  readonly difference: number;
  readonly low: number;
  readonly high: number;
  /** The task on which the rates lie furthest apart; absent without tasks. */
  readonly worst_task?: string;
}

export interface TaskFidelity {
  readonly variant: string;
  readonly task: string;
  readonly a: Counts;
  readonly b: Counts;
  readonly agreement: number;
  readonly marker_order: number | null;
  readonly event_order: number | null;
}

type Measured = Omit<Fidelity, "scenario" | "markers_sha256" | "words">;

/** What the figures come to, a sentence each. */
export function sayFidelity(measured: Measured, [nameA, nameB]: readonly [string, string]): readonly string[] {
  const {
    agreement: agreed,
    self_agreement: self,
    majority: votes,
    marker_order: markers,
    event_order: events,
  } = measured;
  if (agreed === null) return [`${nameA} and ${nameB} share no task with graded runs on both sides`];
  const best = (value: number | null): string => (value === null ? "" : `, two of ${nameA} with ${share(value)}`);
  const said = [
    `a run of ${nameA} and one of ${nameB} have the same verdict with ${share(agreed.estimate)}${best(self)}`,
    `most runs agree on ${votes.same} of ${votes.same + votes.different + votes.split} tasks${votes.split === 0 ? "" : ` (${votes.split} evenly split)`}${votes.kappa === null ? "" : `, kappa ${votes.kappa.toFixed(2)}`}`,
  ];
  const like = (what: string, { estimate, self: own, cut }: Sequences): string =>
    `${what} are alike by ${share(estimate)}${own === null ? "" : `, within ${nameA} by ${share(own)}`}${cut === 0 ? "" : `; of ${cut} runs only the beginning was compared`}`;
  if (markers !== null) said.push(like("orders of markers", markers));
  if (events !== null) said.push(like("orders of events", events));
  const [worst] = measured.variants;
  if (worst !== undefined) said.push(sayWorst(worst));
  return said;
}

function sayWorst({ variant, difference, low, high, worst_task: task }: VariantFidelity): string {
  const of = variant === "" ? "the pass rates differ" : `largest difference: ${variant},`;
  const where = task === undefined ? "" : `, most on ${task}`;
  return `${of} by ${signedPoints(difference)} ${points(difference)} (95% interval ${signedPoints(low)} to ${signedPoints(high)})${where}`;
}
