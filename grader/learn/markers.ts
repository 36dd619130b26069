import { boundOf, durationText } from "./bounds.ts";
import { type DraftItem, UniqueNames } from "./draft.ts";
import { hintOf } from "./labels.ts";
import type { Model } from "./model.ts";
import type { Piece } from "./order.ts";
import { amongOthers, answerTest, eventName, factTests, OUTCOME, type WhereText, WORK, worked } from "./patterns.ts";
import type { Step } from "./steps.ts";

/** The ordered list of markers of a model, with the reason of each. */
export function draftMarkers(model: Model, options: { readonly within?: boolean }): readonly DraftItem[] {
  const { order, advisory, optional, steps } = model;
  const names = new UniqueNames();
  const items: DraftItem[] = [];
  const advise = (before: number): void => {
    for (const one of advisory) {
      const step = steps[one.step];
      if (one.before === before && step !== undefined) items.push(advisoryItem(step, one.step, { model, names }));
    }
    for (const one of optional) {
      const step = steps[one.step];
      if (one.before === before && step !== undefined) items.push(optionalItem(step, { model, names }));
    }
  };
  for (const [index, piece] of order.pieces.entries()) {
    advise(index);
    const bound =
      options.within === false || order.by === "subsequence"
        ? undefined
        : boundOf(piece, order.pieces[index - 1], { steps, corpus: model.corpus });
    const item = piece.kind === "step" ? stepItem(piece, { model, names }) : blockItem(piece, { model, names });
    if (bound === undefined) items.push(item);
    else {
      const why = `${item.why}; within: ${bound.times} x the slowest run (${durationText(Math.round(bound.slowestMs))}), rounded up`;
      items.push({ ...item, body: { ...item.body, within: durationText(bound.limitMs) }, why });
    }
  }
  advise(order.pieces.length);
  return [...items, ...outcomeItem({ model, names })];
}

interface Writing {
  readonly model: Model;
  readonly names: UniqueNames;
}

/** The field tests of a step: its event, what all runs share, and that it worked. */
export function stepWhere(step: Step, model: Model): WhereText {
  const told = step.kind === "effect" ? amongOthers(step.name, model) : {};
  return { event: eventName(step.name), ...factTests(step.facts), ...told, ...worked(model, step.name) };
}

function bodyOf(step: Step, count: number, model: Model): WhereText {
  const { event, ...tests } = stepWhere(step, model);
  return {
    event: event ?? step.name,
    ...(Object.keys(tests).length === 0 ? {} : { where: tests }),
    ...(count > 1 ? { repeat: count } : {}),
    ...(count > 1 && step.distinct !== undefined && count === step.count ? { distinct: step.distinct } : {}),
  };
}

function stepItem({ step: index, count }: Extract<Piece, { kind: "step" }>, { model, names }: Writing): DraftItem {
  const step = model.steps[index];
  if (step === undefined) return { name: "", body: {}, why: "" };
  const name = names.give(step.name, hintOf(step, model.steps));
  return { name, body: { name, ...bodyOf(step, count, model) }, why: whyOf(step, index, model) };
}

function blockItem({ steps: indexes }: Extract<Piece, { kind: "block" }>, { model, names }: Writing): DraftItem {
  const members = indexes.flatMap((index) => model.steps[index] ?? []);
  const inner = members.map((step) => ({
    name: names.give(step.name, hintOf(step, model.steps)),
    ...bodyOf(step, step.count, model),
  }));
  const name = names.give(
    `${members
      .map((step) => step.name)
      .filter((one, at, all) => all.indexOf(one) === at)
      .join(" and ")}, in any order`,
  );
  const runs = model.corpus.traces.length;
  return { name, body: { name, any_order: inner }, why: `all in ${runs}/${runs} runs, in changing order` };
}

function advisoryItem(step: Step, index: number, { model, names }: Writing): DraftItem {
  const name = names.give(step.name, hintOf(step, model.steps));
  const why = `${whyOf(step, index, model)}; it changes nothing, so it counts in coverage only`;
  return { name, body: { name, ...bodyOf(step, step.count, model), advisory: true }, why };
}

function optionalItem(step: Step, { model, names }: Writing): DraftItem {
  const name = names.give(step.name, hintOf(step, model.steps));
  const own = step.places.filter(({ length }) => length > 0).length;
  const why = `in ${own}/${step.places.length} runs; the others do without it`;
  return { name, body: { name, ...bodyOf(step, 1, model), optional: true }, why };
}

function outcomeItem({ model, names }: Writing): readonly DraftItem[] {
  const { outcome, corpus } = model;
  if (outcome === undefined || model.order.pieces.length > 0) return [];
  const name = names.give("Outcome");
  const runs = corpus.traces.length;
  const [first] = outcome.answers;
  const why =
    outcome.answers.length === 1
      ? `the last call of ${runs}/${runs} runs answered this`
      : `the last call of ${runs}/${runs} runs answered one of these, ${first?.runs} times the first`;
  return [{ name, body: { name, pattern: OUTCOME }, why }];
}

/** The field tests of the last call of a good run. */
export function outcomeWhere(model: Model): WhereText {
  const { outcome } = model;
  if (outcome === undefined) return {};
  const answer = answerTest(
    outcome.path,
    outcome.answers.map(({ leaf }) => leaf),
  );
  const failed = outcome.worked ? worked(model) : {};
  return { all: [answer, WORK, ...(Object.keys(failed).length === 0 ? [] : [failed])] };
}

const MOST_LEFT_OUT = 4;

function whyOf(step: Step, index: number, { corpus, graph, order }: Model): string {
  const runs = corpus.traces.length;
  const essential = graph.states.some((state) => state.step === index && state.essential);
  const by =
    order.by === "subsequence"
      ? "in the longest common subsequence; the graph has loops"
      : essential
        ? "dominates the end"
        : "some path leads round it";
  const out = step.leftOut.filter((path) => !path.startsWith("$"));
  const shown =
    out.slice(0, MOST_LEFT_OUT).join(", ") + (out.length > MOST_LEFT_OUT ? `, ${out.length - MOST_LEFT_OUT} more` : "");
  return `in ${runs}/${runs} runs, ${by}${out.length === 0 ? "" : `; ${shown} left out, not the same in every run`}`;
}
