import { classify } from "./classes.ts";
import { Distiller } from "./distil.ts";
import type { Fact } from "./facts.ts";
import { createFactReader } from "./facts.ts";
import { judgeRun, mustSteps } from "./judge.ts";
import type { LearnOptions, Model } from "./model.ts";
import { nearestPath, type PathStep } from "./nearest.ts";
import { createPredictor, type HeldRun } from "./predict.ts";
import type { Step } from "./steps.ts";
import type { Item } from "./trace.ts";

/** Who is to blame for a failed run, and why waymark thinks so. */
export interface Blame {
  readonly schema: "waymark.blame/1";
  readonly verdict: "pass" | "fail" | "inconclusive";
  readonly reason: string;
  /** `product`: the agent did what good runs did and the app did not answer as it does there. `agent`: it did something else. */
  readonly cause: "product" | "agent" | "unknown" | "none";
  /** The facts behind the cause, a sentence each. */
  readonly evidence: readonly string[];
  /** The last step that the run and the nearest good run share from the start, and what came next in each of them. */
  readonly left:
    | { readonly after: string; readonly line?: number; readonly expected: string; readonly got: string }
    | undefined;
  /** The good run that has most in common with this one, step by step. */
  readonly nearest: readonly PathStep[];
}

/** Says where a run left the learned graph and whether the app or the agent is to blame. Grades with the given scenario. */
export function blameRun(model: Model, scenario: string, run: HeldRun, options: LearnOptions = {}): Blame {
  const outcome = createPredictor(scenario).grade(run);
  const trail = trailOf(model, run, options);
  const { path, left } = nearestPath(model, trail, new Set(mustSteps(model)));
  const { cause, evidence } = judgeRun(model, trail, { outcome, path });
  return {
    schema: "waymark.blame/1",
    verdict: outcome.verdict,
    reason: outcome.reason,
    cause,
    evidence,
    left,
    nearest: path,
  };
}

/** An event of the run, with the step of the model it is; -1 for none. */
export interface TrailEvent {
  readonly line: number;
  readonly item: Item;
  readonly step: number;
}

function trailOf({ steps, corpus, words }: Model, run: HeldRun, options: LearnOptions): readonly TrailEvent[] {
  const distiller = new Distiller();
  distiller.restore({ items: corpus.items, traces: [] }, [], words);
  const open = distiller.open();
  const named: number[] = [];
  for (const [index, event] of run.events.entries()) {
    if (typeof event["name"] === "string") named.push(index + 1);
    open.event(event);
  }
  open.end(run.params);
  const own = distiller.corpus();
  const classes = classify(own, options.classes);
  const reader = createFactReader({ items: [...corpus.items, ...own.items], traces: [] });
  const trail: TrailEvent[] = [];
  for (const [at, index] of [...(own.traces[0]?.items ?? [])].entries()) {
    const item = own.items[index];
    if (item === undefined || ["noise", "claim"].includes(classes.of[index] ?? "")) continue;
    trail.push({ line: named[at] ?? 0, item, step: item.failed ? -1 : stepFor(steps, item, { reader, run }) });
  }
  return trail;
}

interface Look {
  readonly reader: ReturnType<typeof createFactReader>;
  readonly run: HeldRun;
}

/** The step of that name whose facts the event has; of several the one with most. */
function stepFor(steps: readonly Step[], item: Item, look: Look): number {
  let best = -1;
  for (const [index, step] of steps.entries()) {
    if (step.name !== item.name || !step.facts.every((fact) => holds(fact, item, look))) continue;
    if (best === -1 || step.facts.length > (steps[best]?.facts.length ?? 0)) best = index;
  }
  return best;
}

function holds(fact: Fact, item: Item, { reader, run }: Look): boolean {
  const leaf = reader.leaves(item).get(fact.path);
  if (leaf === undefined) return fact.within !== undefined && fact.path !== "" && isInside(fact, item, reader);
  if (fact.kind === "re") return typeof leaf.value === "string" && new RegExp(String(fact.value)).test(leaf.value);
  if (fact.kind !== "param") return reader.sameValue(fact.value, leaf);
  const text = String(fact.value).replaceAll(/\$\{?([\p{L}_][\p{L}\p{N}_]*)\}?/gu, (_, name: string) =>
    String(run.params.get(name)),
  );
  return String(leaf.value) === text;
}

/** A list of maps that is one fact stands in the event as its parts. */
function isInside({ path }: Fact, item: Item, reader: Look["reader"]): boolean {
  return [...reader.leaves(item).keys()].some((own) => own.startsWith(`${path}[`));
}
