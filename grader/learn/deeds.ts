import type { Step } from "./steps.ts";
import type { Corpus } from "./trace.ts";

const GESTURE =
  /(?:^|\.)(?:action|gesture|trigger|user_?action|input|command|button|key|pointer|actor|args|arguments|parameters)(?:[.[]|$)/i;

/**
 * What the agent (or whoever uses the app) did, as far as the events say: an effect, a call, or an event that tells of a
 * gesture. Everything else is what the app answered, or told of itself.
 */
export function isDeed(step: Step | undefined, corpus: Corpus): boolean {
  if (step === undefined) return false;
  if (step.kind === "effect" || step.kind === "read") return true;
  const run = step.places.findIndex(({ length }) => length > 0);
  const item = corpus.items[corpus.traces[run]?.items[step.places[run]?.[0] ?? -1] ?? -1];
  return item?.isCall === true || item?.leaves.some(({ path }) => GESTURE.test(path)) === true;
}
