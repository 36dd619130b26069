import { DEFAULT_LEVEL } from "./counts.ts";
import { clopperPearson } from "./interval.ts";
import { requireTally, type Tally } from "./tally.ts";

/** What a batch of runs must reach. */
export type Gate =
  | { readonly kind: "all"; readonly text: string }
  | { readonly kind: "any"; readonly text: string }
  /** At least `passed` of every `runs` runs. */
  | { readonly kind: "count"; readonly text: string; readonly passed: number; readonly runs: number }
  /** At least `share` of the runs, kept as a ratio of whole numbers so that 80% of 5 is exactly 4. */
  | { readonly kind: "rate"; readonly text: string; readonly numerator: number; readonly denominator: number }
  /** The lower end of the 95% Clopper-Pearson interval is at least `share` (0..1). */
  | { readonly kind: "lower"; readonly text: string; readonly share: number };

export type ParsedGate = { readonly ok: true; readonly gate: Gate } | { readonly ok: false; readonly why: string };

const COUNT = /^(?<passed>[0-9]{1,9})\/(?<runs>[0-9]{1,9})$/;
const PERCENT = /^(?<lower>lower:)?(?<whole>[0-9]{1,3})(?:\.(?<decimals>[0-9]{1,6}))?%$/;
const FORMS = "all, any, 4/5, 80% or lower:60%";

/**
 * Reads a `--gate`: `all`, `any`, `4/5`, `80%`, `lower:60%`. A gate that could never fail (0%, 0/5) or never be met
 * (6/5, 120%, lower:100%) is refused with the reason, as is anything else; nothing is thrown.
 */
export function parseGate(input: string): ParsedGate {
  const text = input.trim().toLowerCase();
  if (text === "all" || text === "any") return { ok: true, gate: { kind: text, text } };
  const count = COUNT.exec(text)?.groups;
  if (count !== undefined) return countGate(text, Number(count["passed"]), Number(count["runs"]));
  const percent = PERCENT.exec(text)?.groups;
  if (percent !== undefined) return percentGate(text, percent);
  return refuse(`gate "${input}" is not understood; write ${FORMS}`);
}

function countGate(text: string, passed: number, runs: number): ParsedGate {
  if (passed === 0) return refuse(`gate "${text}" is met even when no run passes`);
  if (passed > runs) return refuse(`gate "${text}" can never be met: it asks for ${passed} passes of ${runs} runs`);
  return { ok: true, gate: { kind: "count", text, passed, runs } };
}

function percentGate(text: string, groups: Record<string, string | undefined>): ParsedGate {
  const decimals = groups["decimals"] ?? "";
  const numerator = Number(`${groups["whole"]}${decimals}`);
  const denominator = 100 * 10 ** decimals.length;
  const isLower = groups["lower"] !== undefined;
  if (numerator === 0) return refuse(`gate "${text}" is met even when no run passes`);
  if (numerator > denominator) return refuse(`gate "${text}" asks for more than 100%`);
  if (!isLower) return { ok: true, gate: { kind: "rate", text, numerator, denominator } };
  if (numerator === denominator) {
    return refuse(`gate "${text}" can never be met: the lower end of an interval stays below 100%`);
  }
  return { ok: true, gate: { kind: "lower", text, share: numerator / denominator } };
}

function refuse(why: string): ParsedGate {
  return { ok: false, why };
}

/**
 * Why a gate does not fit the planned number of runs, in words, or undefined when it fits: `4/5` speaks of five runs, and
 * `lower:60%` cannot be met by fewer than eight. To be asked before the first run is started.
 */
export function gateMisfit(gate: Gate, runs: number): string | undefined {
  if (gate.kind === "count" && gate.runs !== runs) {
    return `gate "${gate.text}" is about ${gate.runs} runs, but ${runs} are planned; write 80% for a share of any number`;
  }
  if (gate.kind === "lower" && !isReached(gate, runs, runs)) {
    const needed = runsForLower(gate.share);
    return `gate "${gate.text}" cannot be met with ${runs} runs; it takes ${needed}, all passed`;
  }
  return undefined;
}

/** Fewest runs whose Clopper-Pearson lower end reaches `share` when all pass: the least n with tail^(1/n) >= share. */
function runsForLower(share: number): number {
  const guess = Math.max(1, Math.ceil(Math.log((1 - DEFAULT_LEVEL) / 2) / Math.log(share)) - 1);
  for (let runs = guess; ; runs++) if (clopperPearson({ passed: runs, runs }).low >= share) return runs;
}

/** `undecided` is for unknown runs that would settle it one way or the other, and for no runs at all. */
export type GateAnswer = "met" | "not_met" | "undecided";

export interface GateDecision {
  readonly gate: Gate;
  readonly answer: GateAnswer;
  readonly tally: Tally;
  /** Fewest passes among all these runs (unknown ones included) that meet the gate; undefined when none would do. */
  readonly needed: number | undefined;
}

/**
 * Decides a gate over a batch. Unknown runs decide nothing: `met` holds even had they all failed, `not_met` even had they
 * all passed, else it is `undecided`. No runs are `undecided`, never met. `4/5` over another number of runs is taken as
 * that share of them (`gateMisfit` warns beforehand). A tally with negative or fractional numbers is a `RangeError`.
 */
export function decideGate(gate: Gate, tally: Tally): GateDecision {
  requireTally(tally);
  const runs = tally.passed + tally.failed + tally.unknown;
  const needed = neededPasses(gate, runs);
  return { gate, answer: answerFor(needed, runs, tally), tally, needed };
}

function answerFor(needed: number | undefined, runs: number, { passed, unknown }: Tally): GateAnswer {
  if (runs === 0) return "undecided";
  if (needed === undefined || passed + unknown < needed) return "not_met";
  return passed >= needed ? "met" : "undecided";
}

/** By bisection: more passes never unmeet a gate. */
function neededPasses(gate: Gate, runs: number): number | undefined {
  if (runs === 0 || !isReached(gate, runs, runs)) return undefined;
  let tooFew = 0;
  let enough = runs;
  while (enough - tooFew > 1) {
    const middle = Math.floor((tooFew + enough) / 2);
    if (isReached(gate, middle, runs)) enough = middle;
    else tooFew = middle;
  }
  return enough;
}

function isReached(gate: Gate, passed: number, runs: number): boolean {
  switch (gate.kind) {
    case "all":
      return passed === runs;
    case "any":
      return passed > 0;
    case "count":
      return passed * gate.runs >= gate.passed * runs;
    case "rate":
      return passed * gate.denominator >= gate.numerator * runs;
    case "lower":
      return clopperPearson({ passed, runs }).low >= gate.share;
  }
}
