import { classify } from "../grader/learn/classes.ts";
import { Distiller } from "../grader/learn/distil.ts";
import { isNoArgument } from "../grader/learn/event-words.ts";
import type { HeldRun } from "../grader/learn/predict.ts";
import type { Corpus, Item } from "../grader/learn/trace.ts";
import { stringifyJson } from "../proxy/record/json.ts";

/**
 * The usual way to compare a run with a reference, as a baseline: a run passes when it has every call of any one
 * reference, name and all arguments, in any order, whatever else it does.
 */
export function supersetMatch(references: readonly HeldRun[]): (run: HeldRun) => boolean {
  const wanted = references.map(callsOf);
  return (run) => {
    const own = callsOf(run);
    return wanted.some((calls) => [...calls].every(([call, count]) => (own.get(call) ?? 0) >= count));
  };
}

function callsOf(run: HeldRun): ReadonlyMap<string, number> {
  const distiller = new Distiller();
  const open = distiller.open();
  for (const event of run.events) open.event(event);
  open.end();
  const corpus: Corpus = distiller.corpus();
  const classes = classify(corpus);
  const counts = new Map<string, number>();
  for (const index of corpus.traces[0]?.items ?? []) {
    const item = corpus.items[index];
    if (item === undefined || ["noise", "claim"].includes(classes.of[index] ?? "")) continue;
    const call = callText(item);
    counts.set(call, (counts.get(call) ?? 0) + 1);
  }
  return counts;
}

function callText({ name, leaves }: Item): string {
  return stringifyJson([name, ...leaves.filter(({ path }) => !isNoArgument(path)).map(({ path, key }) => [path, key])]);
}
