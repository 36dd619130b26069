import type { TraceOutcome } from "../match/trace.ts";
import type { Blame, TrailEvent } from "./blame.ts";
import { isDeed } from "./deeds.ts";
import type { Model } from "./model.ts";
import type { PathStep } from "./nearest.ts";

/** What the grader and the nearest good run say of a run. */
export interface Seen {
  readonly outcome: TraceOutcome;
  readonly path: readonly PathStep[];
}

type Judgement = Pick<Blame, "cause" | "evidence">;

/**
 * Right deeds and a wrong answer are the product's; deeds left out, added or done otherwise are the agent's; anything else
 * is not known, and neither is a log that falls silent in the middle: a dead app, an agent that was stopped and a broken
 * line look the same. A deed whose answers all came was done, whether the app told of it or not.
 */
export function judgeRun(model: Model, trail: readonly TrailEvent[], seen: Seen): Judgement {
  const { outcome } = seen;
  if (outcome.verdict === "pass") return { cause: "none", evidence: [] };
  const must = mustSteps(model);
  const missing = seen.path.filter(({ step, status }) => status === "missing" && must.includes(step));
  const isDone = (step: number): boolean => isDeed(model.steps[step], model.corpus);
  const strange = [...new Set([...strangeDeeds(model, trail), ...brokenRules(outcome)])];
  const findings: Findings = {
    deeds: missing.filter(({ step }) => isDone(step)),
    answers: missing.filter(({ step }) => !isDone(step)),
    strange,
    must,
  };
  return (
    silence(model, trail, findings) ??
    untold(model, seen, findings) ??
    refused(model, trail, findings) ??
    astray(findings) ??
    unanswered(model, outcome, findings) ?? { cause: "unknown", evidence: [whyUnknown(missing)] }
  );
}

interface Findings {
  readonly deeds: readonly PathStep[];
  readonly answers: readonly PathStep[];
  readonly strange: readonly string[];
  /** Steps that every good run has, in their order. */
  readonly must: readonly number[];
}

function whyUnknown(missing: readonly PathStep[]): string {
  return missing.length === 0
    ? "everything good runs have is there, but too late, too often or in another order"
    : "nothing in the log tells what the agent did from what the app answered";
}

const LAST_WORDS =
  /(?:^|[._ :-])(?:session|app|application|process|page|run)[._ :-]?(?:end|ended|close|closed|stop|stopped|exit|exited|unload|unloaded|quit)$/i;

/**
 * The log falls silent: from some step on nothing that good runs have comes any more, and it ends where the app still
 * owed an answer, or without the event that ends every good run's session.
 */
function silence(model: Model, trail: readonly TrailEvent[], findings: Findings): Judgement | undefined {
  const { must, deeds, answers, strange } = findings;
  const missing = new Set([...deeds, ...answers].map(({ step }) => step));
  const first = must.findIndex((step) => missing.has(step));
  if (first < 1 || strange.length > 0 || !must.slice(first).every((step) => missing.has(step))) return undefined;
  const end = model.steps[must.at(-1) ?? -1];
  const lacksEnd = end !== undefined && LAST_WORDS.test(end.name) && !trail.some(({ item }) => item.name === end.name);
  const owes = !isDeed(model.steps[must[first] ?? -1], model.corpus) && deeds.length > 0;
  if (!lacksEnd && !owes) return undefined;
  const last = trail.findLast(({ step }) => step !== -1);
  const where = last === undefined ? "" : ` after '${last.item.name}' (line ${last.line})`;
  const why = lacksEnd ? `without the '${end.name}' of every good run` : "where an answer was due";
  return { cause: "unknown", evidence: [`nothing more is told${where}: the log ends ${why}`] };
}

/** A deed that is not told of, but whose answers all came where good runs have them. */
function untold(model: Model, { path }: Seen, { deeds, strange, must, answers }: Findings): Judgement | undefined {
  if (deeds.length === 0) return undefined;
  const found = new Set(path.filter(({ status }) => status === "found").map(({ step }) => step));
  const areAnswered = deeds.every(({ step }) => {
    const own = answersTo(model, step, must);
    return own.length > 0 && own.every((answer) => found.has(answer));
  });
  if (!areAnswered || answers.length > 0 || strange.length > deeds.length) return undefined;
  return {
    cause: "product",
    evidence: deeds.map(({ name }) => `'${name}' is not told of, or not rightly, but all that answers it came`),
  };
}

/** What comes in every good run between a deed and the next one. */
function answersTo(model: Model, deed: number, must: readonly number[]): readonly number[] {
  const after = must.slice(must.indexOf(deed) + 1);
  const next = after.findIndex((step) => isDeed(model.steps[step], model.corpus));
  return after.slice(0, next === -1 ? after.length : next);
}

/** All deeds that are missing were tried, and the app said that they failed. */
function refused(model: Model, trail: readonly TrailEvent[], { deeds, strange }: Findings): Judgement | undefined {
  if (deeds.length === 0 || strange.length > 0) return undefined;
  const wasTried = ({ step }: PathStep): boolean =>
    trail.some(({ item }) => item.failed && item.name === model.steps[step]?.name);
  if (!deeds.every(wasTried)) return undefined;
  return { cause: "product", evidence: deeds.map(({ name }) => `'${name}' was tried and the app said that it failed`) };
}

function astray({ deeds, strange }: Findings): Judgement | undefined {
  if (deeds.length === 0 && strange.length === 0) return undefined;
  const left = deeds.map(({ name }) => `'${name}' was left out, which every good run did`);
  return { cause: "agent", evidence: [...left, ...strange] };
}

function unanswered(model: Model, { rules }: TraceOutcome, { must, answers }: Findings): Judgement | undefined {
  const isAnswerWrong = rules.some(
    ({ name, verdict }) => verdict === "fail" && name === "The outcome stands at the end",
  );
  const done = must.filter((step) => isDeed(model.steps[step], model.corpus)).length;
  if (done === 0 || (answers.length === 0 && !isAnswerWrong)) return undefined;
  const right = `all ${done} deeds of good runs are there, in the way good runs did them`;
  const wrong = answers.map(({ name }) => `'${name}' did not come, or not as in good runs`);
  return {
    cause: "product",
    evidence: [right, ...wrong, ...(isAnswerWrong ? ["the last answer is none that good runs got"] : [])],
  };
}

const MOST_EVIDENCE = 5;

/** Learned rules about effects that the run broke by something it did. */
function brokenRules({ rules }: TraceOutcome): readonly string[] {
  const own = rules.filter(({ name, verdict }) => verdict === "fail" && EFFECT_RULE.test(name));
  const reasons = own.flatMap(({ violations }) => violations.slice(0, 1).map(({ reason }) => reason));
  return reasons.filter((reason) => !/of at least|of exactly/.test(reason)).slice(0, MOST_EVIDENCE);
}

const EFFECT_RULE = /^No effect that no good run had$| only with facts good runs had$| as often as in good runs$/;

/** What every good run has, in its order; steps without a place come last. */
export function mustSteps({ order, steps }: Model): readonly number[] {
  const ordered = order.pieces.flatMap((piece) => (piece.kind === "step" ? [piece.step] : piece.steps));
  const all = [...ordered, ...order.unordered];
  return all.filter((step, at) => steps[step] !== undefined && all.indexOf(step) === at);
}

/** Deeds of a name that good runs have, done otherwise or once too often, and effects that no good run had. */
function strangeDeeds(model: Model, trail: readonly TrailEvent[]): readonly string[] {
  const known = new Map<string, number[]>();
  for (const [index, { name, count }] of model.steps.entries()) {
    if (count > 0 && isDeed(model.steps[index], model.corpus)) known.set(name, [...(known.get(name) ?? []), index]);
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
