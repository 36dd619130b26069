import type { JsonValue } from "../../proxy/record/json.ts";
import type { Draft, DraftItem } from "./draft.ts";
import { draftMarkers, outcomeWhere } from "./markers.ts";
import type { LearnOptions, Model } from "./model.ts";
import { EFFECT, effectPattern, FAILED, failedPattern, OUTCOME, WORK, workPattern } from "./patterns.ts";
import { draftRules } from "./rules.ts";

/** A model as a scenario to be written. */
export function draftScenario(model: Model, id: string, options: LearnOptions = {}): Draft {
  const markers = draftMarkers(model, options);
  const rules = draftRules(model);
  const runs = model.corpus.traces.length;
  return {
    id,
    about: [
      `Learned by waymark from ${runs} good ${runs === 1 ? "run" : "runs"}. Each marker and rule says why it is there.`,
      "What you change, add or take out stays when you learn again; what still has its [learned ...] mark is replaced.",
      ...(model.order.by === "subsequence"
        ? ["The runs go in loops, so the order of the markers is the longest common subsequence of the runs."]
        : []),
    ],
    provisional: model.provisional,
    params: usedParams(model, [...markers, ...rules]),
    define: definitions(model, [...markers, ...rules]),
    markers,
    rules,
  };
}

/** The patterns that markers and rules name, with those they name in turn. */
function definitions(model: Model, items: readonly DraftItem[]): readonly DraftItem[] {
  const all: readonly DraftItem[] = [
    { name: OUTCOME, body: outcomeWhere(model), why: "what the last call of good runs answered" },
    { name: WORK, body: workPattern(model), why: "neither talk nor the agent's own claim to be done" },
    { name: EFFECT, body: effectPattern(model), why: effectWhy(model) },
    { name: FAILED, body: failedPattern(model), why: "an event that says it failed: it changed nothing" },
  ];
  const used = new Set<string>();
  const texts = items.flatMap(({ body }) => textsIn(body));
  for (const { name, body } of all) {
    if (!texts.includes(name)) continue;
    used.add(name);
    texts.push(...textsIn(body));
  }
  return all.filter(({ name }) => used.has(name)).reverse();
}

function effectWhy({ classes }: Model): string {
  return classes.areTold ? "the events say which of them change something" : "what changes something, guessed by name";
}

/** The parameters that the markers and rules mention; every run has to give them. */
function usedParams({ corpus }: Model, items: readonly DraftItem[]): readonly DraftItem[] {
  const names = [...new Set(corpus.traces.flatMap(({ params }) => [...params.keys()]))].sort();
  const texts = items.flatMap(({ body }) => textsIn(body));
  return names.flatMap((name): readonly DraftItem[] => {
    const isUsed = texts.some((text) => text === `$${name}` || text.includes(`\${${name}}`));
    return isUsed
      ? [{ name, body: { required: true, type: typeOf(corpus.traces[0]?.params.get(name)) }, why: "" }]
      : [];
  });
}

function typeOf(value: JsonValue | undefined): string {
  return typeof value === "number" || typeof value === "boolean" ? typeof value : "string";
}

function textsIn(value: JsonValue): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap((item: JsonValue) => textsIn(item));
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
