import type { TraceOutcome } from "../match/trace.ts";
import { classify } from "./classes.ts";
import { Distiller } from "./distil.ts";
import type { Fact } from "./facts.ts";
import { createFactReader } from "./facts.ts";
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
  const { path, left } = nearestPath(model, trail);
  const { cause, evidence } = judge(model, trail, { outcome, path });
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

interface Seen {
  readonly outcome: TraceOutcome;
  readonly path: readonly PathStep[];
}

/**
 * Right deeds and a wrong answer are the product's; deeds left out, added or done otherwise are the agent's; anything else
 * is not known. Deeds are effects and reads of call logs, and events that tell of a gesture or a command.
 */
function judge(model: Model, trail: readonly TrailEvent[], { outcome, path }: Seen): Pick<Blame, "cause" | "evidence"> {
  if (outcome.verdict === "pass") return { cause: "none", evidence: [] };
  const missing = path.filter(({ status }) => status === "missing");
  const must = new Set(mustSteps(model));
  const deeds = missing.filter(({ step }) => must.has(step) && isDeed(model, step));
  const answers = missing.filter(({ step }) => must.has(step) && !isDeed(model, step));
  const failedDeeds = deeds.filter(({ step }) =>
    trail.some((one) => one.item.failed && one.item.name === model.steps[step]?.name),
  );
  const strange = [...new Set([...strangeDeeds(model, trail), ...brokenRules(outcome)])];
  if (deeds.length > 0 && failedDeeds.length === deeds.length && strange.length === 0) {
    return {
      cause: "product",
      evidence: failedDeeds.map(({ name }) => `'${name}' was tried and the app said that it failed`),
    };
  }
  if (deeds.length > 0 || strange.length > 0) {
    const left = deeds.map(({ name }) => `'${name}' was left out, which every good run did`);
    return { cause: "agent", evidence: [...left, ...strange] };
  }
  const isAnswerWrong = outcome.rules.some(
    ({ name, verdict }) => verdict === "fail" && name === "The outcome stands at the end",
  );
  const hasDeeds = [...must].some((step) => isDeed(model, step));
  if (hasDeeds && (answers.length > 0 || isAnswerWrong)) {
    const right = `all ${[...must].filter((step) => isDeed(model, step)).length} deeds of good runs are there, in the way good runs did them`;
    const wrong = answers.map(({ name }) => `'${name}' did not come, or not as in good runs`);
    return {
      cause: "product",
      evidence: [right, ...wrong, ...(isAnswerWrong ? ["the last answer is none that good runs got"] : [])],
    };
  }
  return { cause: "unknown", evidence: ["nothing in the log tells what the agent did from what the app answered"] };
}

/** Learned rules about effects that the run broke by something it did. */
function brokenRules({ rules }: TraceOutcome): readonly string[] {
  const own = rules.filter(({ name, verdict }) => verdict === "fail" && EFFECT_RULE.test(name));
  const reasons = own.flatMap(({ violations }) => violations.slice(0, 1).map(({ reason }) => reason));
  return reasons.filter((reason) => !/of at least|of exactly/.test(reason)).slice(0, MOST_EVIDENCE);
}

const EFFECT_RULE = /^No effect that no good run had$| only with facts good runs had$| as often as in good runs$/;

function mustSteps({ order, steps }: Model): readonly number[] {
  const ordered = order.pieces.flatMap((piece) => (piece.kind === "step" ? [piece.step] : piece.steps));
  const all = [...ordered, ...order.unordered];
  return all.filter((step, at) => steps[step] !== undefined && all.indexOf(step) === at);
}

const GESTURE =
  /(?:^|\.)(?:action|gesture|trigger|user_?action|input|command|button|key|pointer|actor|args|arguments|parameters)(?:[.[]|$)/i;

/** What the agent did, as far as the events say: an effect, a call, or an event that tells of a gesture. */
function isDeed({ steps, corpus }: Model, index: number): boolean {
  const step = steps[index];
  if (step === undefined) return false;
  if (step.kind === "effect" || step.kind === "read") return true;
  const [places] = step.places;
  const item = corpus.items[corpus.traces[0]?.items[places?.[0] ?? -1] ?? -1];
  return item?.isCall === true || item?.leaves.some(({ path }) => GESTURE.test(path)) === true;
}

const MOST_EVIDENCE = 5;

/** Deeds of a name that good runs have, done otherwise or once too often, and effects that no good run had. */
function strangeDeeds(model: Model, trail: readonly TrailEvent[]): readonly string[] {
  const known = new Map<string, number[]>();
  for (const [index, { name, count }] of model.steps.entries()) {
    if (count > 0 && isDeed(model, index)) known.set(name, [...(known.get(name) ?? []), index]);
  }
  const strict = new Set(
    [...known].filter(([, indexes]) => indexes.every((index) => isStrict(model, index))).map(([name]) => name),
  );
  const evidence = trail.flatMap(({ item, step, line }): readonly string[] => {
    if (item.failed || step !== -1 || !strict.has(item.name)) return [];
    return [`'${item.name}' (line ${line}) has other facts than any good run`];
  });
  const unknown = trail.filter(
    ({ item }) => item.writes === true && !item.failed && !model.steps.some(({ name }) => name === item.name),
  );
  return [
    ...evidence,
    ...unknown.map(({ item, line }) => `'${item.name}' (line ${line}) changed something that no good run changed`),
  ].slice(0, MOST_EVIDENCE);
}

/** Facts tell the occurrences of this name apart, and good runs have no others. */
function isStrict({ steps }: Model, index: number): boolean {
  const step = steps[index];
  if (step === undefined || step.kind === "read") return false;
  return step.facts.length > 0 && !steps.some((other) => other.name === step.name && other.count === 0);
}
