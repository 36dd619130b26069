import { isDeed } from "./deeds.ts";
import type { Piece } from "./order.ts";
import type { Step } from "./steps.ts";
import type { Corpus } from "./trace.ts";

/** A limit is this many times the slowest that a good run was, and at least so long. */
interface Margin {
  readonly times: number;
  readonly leastMs: number;
}

/** What the app answers: three times the slowest is out of the ordinary. */
const ANSWER: Margin = { times: 3, leastMs: 2000 };
/** What an agent or a person does: nobody thinks at a steady pace, least of all on a busy machine. */
const DEED: Margin = { times: 10, leastMs: 30_000 };
const ENOUGH_RUNS = 3;

/** A time limit for one marker after the one before it. */
export interface Bound {
  readonly limitMs: number;
  readonly slowestMs: number;
  /** How many times the slowest run the limit is. */
  readonly times: number;
}

/**
 * The limit for a piece after the piece before it (or after the run's first event): three times the slowest good run
 * and two seconds at least, or for a deed ten times and half a minute, rounded up. Undefined with fewer than three runs or where events carry no real time.
 */
export function boundOf(
  piece: Piece,
  before: Piece | undefined,
  { steps, corpus }: { readonly steps: readonly Step[]; readonly corpus: Corpus },
): Bound | undefined {
  const { traces } = corpus;
  if (piece.kind !== "step" || before === undefined || traces.length < ENOUGH_RUNS) return undefined;
  let slowest = 0;
  for (const [run, { times }] of traces.entries()) {
    const here = lastPlace(piece, steps, run);
    const since = lastPlace(before, steps, run);
    const from = times?.[since];
    const to = times?.[here];
    if (from === undefined || to === undefined) return undefined;
    slowest = Math.max(slowest, to - from);
  }
  const { times, leastMs } = isDeed(steps[piece.step], corpus) ? DEED : ANSWER;
  return { slowestMs: slowest, times, limitMs: roundUp(Math.max(leastMs, slowest * times)) };
}

function lastPlace(piece: Piece, steps: readonly Step[], run: number): number {
  const members = piece.kind === "step" ? [piece.step] : piece.steps;
  return Math.max(...members.map((step) => steps[step]?.places[run]?.at(-1) ?? -1));
}

const STEPS_MS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600].map((seconds) => seconds * 1000);

function roundUp(ms: number): number {
  return STEPS_MS.find((step) => step >= ms) ?? Math.ceil(ms / 3_600_000) * 3_600_000;
}

/** A duration as the language writes it. */
export function durationText(ms: number): string {
  if (ms > 0 && ms % 3_600_000 === 0) return `${ms / 3_600_000}h`;
  if (ms > 0 && ms % 60_000 === 0) return `${ms / 60_000}m`;
  return ms > 0 && ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;
}
