import type { JsonValue } from "../../proxy/record/json.ts";
import { type DraftItem, UniqueNames } from "./draft.ts";
import type { Fact } from "./facts.ts";
import { stepWhere } from "./markers.ts";
import type { Model } from "./model.ts";
import { amongOthers, EFFECT, eventName, factTests, OUTCOME, type WhereText, WORK, worked } from "./patterns.ts";

/** The rules of a model: what good runs never did, how often they did things, and with which facts. */
export function draftRules(model: Model): readonly DraftItem[] {
  const names = new UniqueNames();
  const drafts = [
    ...unorderedRules(model),
    ...(model.isClosed ? closedRules(model) : unknownEffects(model)),
    ...effectRules(model),
    ...outcomeRules(model),
  ];
  return drafts.map(({ name, body, why }) => {
    const given = names.give(name);
    return { name: given, body: { name: given, ...body }, why };
  });
}

/** What every run has but the ordered list cannot say. */
function unorderedRules(model: Model): readonly DraftItem[] {
  const runs = model.corpus.traces.length;
  return model.order.unordered.flatMap((index) => {
    const step = model.steps[index];
    if (step === undefined) return [];
    const where = stepWhere(step, model);
    const body: WhereText = step.count > 1 ? { count: where, min: step.count } : { expect: where };
    return [{ name: `${step.name} happens`, body, why: `in ${runs}/${runs} runs, in no steady place` }];
  });
}

function closedRules(model: Model): readonly DraftItem[] {
  const { corpus, closedByGuess } = model;
  const names = [...new Set(corpus.items.map(({ name }) => name))].sort();
  const runs = corpus.traces.length;
  const why = `${names.length} names in ${runs} runs${closedByGuess ? "; the log looks machine-made (--no-closed-world leaves this out)" : ""}`;
  const counts = names.flatMap((name): readonly DraftItem[] => {
    const least = Math.min(...countsOf(model, (item) => item.name === name));
    if (least < 1) return [];
    return [
      {
        name: `${name} often enough`,
        body: { count: { event: eventName(name) }, min: least },
        why: `${least} or more in ${runs}/${runs} runs`,
      },
    ];
  });
  return [
    { name: "No event that no good run had", body: { never: { not: { event: names.map(eventName) } } }, why },
    ...counts,
  ];
}

function countsOf(
  { corpus }: Model,
  test: (item: Model["corpus"]["items"][number], index: number) => boolean,
): readonly number[] {
  const fits = corpus.items.map(test);
  return corpus.traces.map(({ items }) => {
    let count = 0;
    for (const index of items) if (fits[index] === true) count++;
    return count;
  });
}

/** Where no event changes anything and none is a call, a name alone is too weak a reason to forbid an event. */
function unknownEffects(model: Model): readonly DraftItem[] {
  const known = effectNames(model);
  if (known.length === 0 && !model.corpus.items.some(({ isCall }) => isCall)) return [];
  const parts: JsonValue[] = [EFFECT];
  if (Object.keys(worked(model)).length > 0) parts.push(worked(model));
  if (known.length > 0) parts.push({ not: { event: known.map(eventName) } });
  const [only] = parts;
  const never: JsonValue = parts.length === 1 && only !== undefined ? only : { all: parts };
  const why =
    known.length === 0 ? "no good run changed anything" : `good runs changed things only by ${known.join(", ")}`;
  return [{ name: "No effect that no good run had", body: { never }, why }];
}

/** Names of effects that worked in some good run. */
function effectNames({ corpus, classes }: Model): readonly string[] {
  const names = corpus.items.flatMap(({ name, failed }, at) => (classes.of[at] === "effect" && !failed ? [name] : []));
  return [...new Set(names)].sort();
}

function effectRules(model: Model): readonly DraftItem[] {
  if (model.isClosed) return [];
  return effectNames(model).flatMap((name) => [...countRule(name, model), ...factsRule(name, model)]);
}

function countRule(name: string, model: Model): readonly DraftItem[] {
  const counts = countsOf(model, (item, at) => item.name === name && !item.failed && model.classes.of[at] === "effect");
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  const limits: WhereText = least === most ? { exactly: most } : least > 0 ? { min: least, max: most } : { max: most };
  const seen = least === most ? `${most}` : `${least} to ${most}`;
  const runs = model.corpus.traces.length;
  return [
    {
      name: `${name} as often as in good runs`,
      body: { count: { event: eventName(name), ...amongOthers(name, model), ...worked(model, name) }, ...limits },
      why: `${seen} in ${runs}/${runs} runs`,
    },
  ];
}

const MOST_PROFILES = 20;

/** Every occurrence of an effect has the facts of one that a good run had. */
function factsRule(name: string, model: Model): readonly DraftItem[] {
  const profiles = profilesOf(name, model);
  if (profiles.length === 0 || profiles.length > MOST_PROFILES) return [];
  const tests = profiles.map(factTests);
  if (tests.some((test) => Object.keys(test).length === 0)) return [];
  const [only] = tests;
  const must: JsonValue = tests.length === 1 && only !== undefined ? only : { any: tests };
  const runs = model.corpus.traces.length;
  return [
    {
      name: `${name} only with facts good runs had`,
      body: { each: { event: eventName(name), ...amongOthers(name, model), ...worked(model, name) }, must },
      why: `${profiles.length} ${profiles.length === 1 ? "set" : "sets"} of facts in ${runs} runs`,
    },
  ];
}

function profilesOf(name: string, model: Model): readonly (readonly Fact[])[] {
  const { steps, corpus, reader } = model;
  const own = steps.filter((step) => step.name === name && step.kind === "effect");
  const shared = own.filter(({ count }) => count > 0).map(({ facts }) => facts);
  const single = new Map<string, readonly Fact[]>();
  for (const { places } of own.filter(({ count }) => count === 0)) {
    for (const [run, spots] of places.entries()) {
      const trace = corpus.traces[run];
      for (const at of spots) {
        const item = corpus.items[trace?.items[at] ?? -1];
        if (item === undefined || trace === undefined) continue;
        const facts = reader.shared([{ item, params: trace.params }]);
        single.set(
          JSON.stringify(factTests(facts), (_, value) => (typeof value === "bigint" ? `${value}n` : value)),
          facts,
        );
        if (single.size > MOST_PROFILES) return [...shared, ...single.values()];
      }
    }
  }
  return [...shared, ...[...single].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, facts]) => facts)];
}

function outcomeRules(model: Model): readonly DraftItem[] {
  const { outcome, corpus, classes } = model;
  if (outcome === undefined) return [];
  const stands: DraftItem = {
    name: "The outcome stands at the end",
    body: { after: { all: [WORK, { not: OUTCOME }] }, expect: OUTCOME },
    why: "what good runs did last answered this",
  };
  if (!outcome.isWeak || model.isClosed) return [stands];
  const names = corpus.items.flatMap(({ name }, at) =>
    ["noise", "claim"].includes(classes.of[at] ?? "") ? [] : [name],
  );
  const known = [...new Set(names)].sort();
  return [
    stands,
    {
      name: "Only calls that good runs made",
      body: { never: { all: [WORK, { not: { event: known.map(eventName) } }] } },
      why: "the answer alone says too little, so the calls have to be known",
    },
  ];
}
