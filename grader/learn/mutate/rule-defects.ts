import type { JsonObject } from "../../../proxy/record/json.ts";
import type { Bindings } from "../../operators/where.ts";
import type { RuleNode, Where } from "../../scenario/ast.ts";
import { type Base, delayFrom, describeEvent, insertAt, unrelated, without } from "./base.ts";
import { setAt } from "./edit.ts";
import { ruleMeaning } from "./meaning.ts";
import type { Defect, Mutant } from "./mutant.ts";
import { captured, triggerOf } from "./reference-rules.ts";
import { satisfy, violations } from "./satisfy.ts";

/** Mutants kept of each kind for one rule. */
const MOST_PER_KIND = 2;
/** Events of one pattern that are looked at. */
const MOST_SPOTS = 4;

interface Attempt {
  readonly kind: Defect;
  readonly what: string;
  readonly events: readonly JsonObject[];
}

/**
 * Defects that break the rules, each rule in the ways its verb can be broken. Of the ways to try those are kept that, by
 * the words of the rule, do break it; where none does, one is kept to show that it changes nothing.
 */
export function ruleDefects(base: Base): readonly Mutant[] {
  return base.subject.scenario.rules.flatMap((rule) => {
    const attempts = new RuleBreaker(base, rule).attempts().filter(({ events }) => events.length > 0);
    const judged = attempts.map((attempt) => ({
      attempt,
      meaning: ruleMeaning(base.subject, rule.name, attempt.events),
    }));
    const breaking = judged.filter(({ meaning }) => meaning !== "holds").map(({ attempt }) => attempt);
    const target = { kind: "rule", name: rule.name } as const;
    const kept = breaking.length > 0 ? firstOfEachKind(breaking) : attempts.slice(0, 1);
    return kept.map((attempt) => ({ ...attempt, target }));
  });
}

function firstOfEachKind(attempts: readonly Attempt[]): readonly Attempt[] {
  const counts = new Map<Defect, number>();
  return attempts.filter(({ kind }) => {
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    return count <= MOST_PER_KIND;
  });
}

interface Trigger {
  readonly index: number;
  readonly bindings: Bindings;
}

class RuleBreaker {
  readonly #base: Base;
  readonly #rule: RuleNode;
  readonly #end: number;

  constructor(base: Base, rule: RuleNode) {
    this.#base = base;
    this.#rule = rule;
    this.#end = base.events.length;
  }

  attempts(): readonly Attempt[] {
    return [...this.#byVerb(), ...(this.#rule.requireTrigger ? this.#drop(triggerOf(this.#rule)) : [])];
  }

  #byVerb(): readonly Attempt[] {
    const rule = this.#rule;
    switch (rule.verb) {
      case "never":
        return this.#putInside(rule.target, 1);
      case "expect":
        return this.#unanswered(rule);
      case "count":
        return [
          ...(rule.max === undefined ? [] : this.#putInside(rule.target, rule.max + 1, rule.distinct?.[0])),
          ...(rule.min === undefined ? [] : this.#lessInside(rule.target, rule.min)),
        ];
      case "each":
        return this.#unruly(rule);
      case "span":
        return this.#overlong(rule);
      case "if":
        return rule.then === "never" ? this.#together(rule) : this.#alone(rule);
      case "first":
        return [this.#put(0, [unrelated(this.#base, 1)]), ...this.#change(0, rule.target)];
      case "last":
        return [this.#put(this.#end, [unrelated(this.#base, 1)]), ...this.#change(this.#end - 1, rule.target)];
    }
  }

  /** So many of the forbidden event where the rule forbids them, with the events that open and close the scope. */
  #putInside(target: Where, count: number, distinct?: Parameters<typeof setAt>[1]): readonly Attempt[] {
    const { after, between, until, before } = this.#rule;
    const make = (bindings: Bindings): readonly JsonObject[] => this.#several(target, bindings, { count, distinct });
    const open = after ?? between?.[0];
    if (open === undefined) {
      const spots = before === undefined ? [this.#end, 0, this.#end >> 1] : [0];
      return spots.flatMap((spot) => this.#putMade(spot, make(new Map())));
    }
    const close = between?.[1] ?? until;
    const beside = this.#triggers(open).flatMap(({ index, bindings }) => this.#putMade(index + 1, make(bindings)));
    const [trigger, bindings] = this.#newTrigger(open);
    if (trigger === undefined) return beside;
    const closing = close === undefined ? undefined : satisfy(this.#base.subject, close, bindings, this.#like(close));
    const inner = make(bindings);
    if (inner.length === 0) return beside;
    return [...beside, this.#put(this.#end, [trigger, ...inner, ...(closing === undefined ? [] : [closing])])];
  }

  /** Too few of what has to be inside; an interval of its own without any. */
  #lessInside(target: Where, min: number): readonly Attempt[] {
    const own = this.#all(target);
    const fewer = own.slice(Math.max(0, min - 1));
    const one =
      fewer.length === 0 ? [] : [this.#dropped(fewer), ...(own.length > fewer.length ? [this.#dropped(own)] : [])];
    return [...one, ...this.#emptyInterval()];
  }

  #emptyInterval(): readonly Attempt[] {
    const { after, between, until } = this.#rule;
    const open = after ?? between?.[0];
    if (open === undefined) return [];
    const [trigger, bindings] = this.#newTrigger(open);
    const close = between?.[1] ?? until;
    const closing = close === undefined ? undefined : satisfy(this.#base.subject, close, bindings, this.#like(close));
    if (trigger === undefined) return [];
    return [this.#put(this.#end, [trigger, ...(closing === undefined ? [] : [closing])])];
  }

  #unanswered(rule: Extract<RuleNode, { verb: "expect" }>): readonly Attempt[] {
    const { after, before, between, target } = rule;
    const dropped = this.#drop(target);
    if (between !== undefined || rule.until !== undefined) return [...dropped, ...this.#emptyInterval()];
    if (after !== undefined) return [...dropped, ...this.#emptyInterval(), ...this.#pairs(after, "later")];
    if (before !== undefined) {
      const [trigger] = this.#newTrigger(before);
      const early = trigger === undefined ? [] : [this.#put(0, [trigger])];
      return [...dropped, ...early, ...this.#pairs(before, "earlier")];
    }
    const [first] = this.#all(target);
    return [
      ...dropped,
      ...(first === undefined || rule.withinMs === undefined ? [] : this.#late(first, 0, rule.withinMs)),
    ];
  }

  /** Between a trigger and its answer: too long a time, what must not be there, any event. */
  #pairs(trigger: Where, side: "later" | "earlier"): readonly Attempt[] {
    const rule = this.#rule as Extract<RuleNode, { verb: "expect" }>;
    const { subject } = this.#base;
    return this.#triggers(trigger).flatMap(({ index, bindings }) => {
      const fits = (event: JsonObject): boolean => subject.test(rule.target, event, bindings);
      const { events } = this.#base;
      const answer =
        side === "later"
          ? events.findIndex((event, at) => at > index && fits(event))
          : events.slice(0, index).findLastIndex(fits);
      if (answer < 0) return [];
      const [low, high] = side === "later" ? [index, answer] : [answer, index];
      const spoiler =
        rule.without === undefined ? undefined : satisfy(subject, rule.without, bindings, this.#like(rule.without));
      return [
        ...(rule.withinMs === undefined ? [] : this.#late(high, low, rule.withinMs)),
        ...(spoiler === undefined ? [] : [this.#put(high, [spoiler])]),
        ...(rule.immediately ? [this.#put(high, [unrelated(this.#base, 1)])] : []),
      ];
    });
  }

  #unruly({ target, must }: Extract<RuleNode, { verb: "each" }>): readonly Attempt[] {
    const { subject, bindings } = this.#base;
    const changed = this.#all(target)
      .slice(0, MOST_SPOTS)
      .flatMap((index) => this.#change(index, must, target));
    const made = satisfy(subject, target, new Map(), this.#like(target));
    const unruly =
      made === undefined
        ? []
        : violations(subject, must, bindings, made).filter((event) => subject.test(target, event, bindings));
    return [...changed, ...unruly.map((event) => this.#put(this.#end, [event]))];
  }

  #overlong({ start, end, maxMs, mustEnd }: Extract<RuleNode, { verb: "span" }>): readonly Attempt[] {
    const { subject, events } = this.#base;
    const stretched = this.#triggers(start).flatMap(({ index, bindings }) => {
      const close = events.findIndex((event, at) => at > index && subject.test(end, event, bindings));
      return close < 0 ? [] : this.#late(close, index, maxMs);
    });
    return [
      ...stretched,
      ...this.#newSpan(start, end, maxMs),
      ...this.#drop(end),
      ...(mustEnd ? this.#newSpan(start, undefined, 0) : []),
    ];
  }

  /** A span of its own at the end of the run, too long by a millisecond; or one that never ends. */
  #newSpan(start: Where, end: Where | undefined, maxMs: number): readonly Attempt[] {
    const [trigger, bindings] = this.#newTrigger(start);
    if (trigger === undefined) return [];
    if (end === undefined) return [this.#put(this.#end, [trigger])];
    const closing = satisfy(this.#base.subject, end, bindings, this.#like(end));
    if (closing === undefined) return [];
    const events = insertAt(this.#base, this.#end, [trigger, closing]);
    const longer = {
      ...this.#base,
      events,
      times: [...this.#base.times, this.#base.times.at(-1), this.#base.times.at(-1)],
    };
    const what = `put a span that ends 1 ms past ${maxMs} ms`;
    return [{ kind: "delay", what, events: delayFrom(longer, this.#end + 1, maxMs + 1) }];
  }

  #together({ condition, target }: Extract<RuleNode, { verb: "if" }>): readonly Attempt[] {
    const { subject } = this.#base;
    const missing = [condition, target].filter((where) => this.#all(where).length === 0);
    const made = missing.map((where) => satisfy(subject, where, new Map()));
    const events = made.filter((event) => event !== undefined);
    return made.length === events.length && events.length > 0 ? [this.#put(this.#end, events)] : [];
  }

  #alone({ condition, target }: Extract<RuleNode, { verb: "if" }>): readonly Attempt[] {
    if (this.#all(condition).length > 0) return this.#drop(target);
    const made = satisfy(this.#base.subject, condition, new Map());
    return made === undefined ? [] : [this.#put(this.#end, [made])];
  }

  #late(position: number, since: number, limitMs: number): readonly Attempt[] {
    const { times } = this.#base;
    const slackMs = limitMs - ((times[position] ?? 0) - (times[since] ?? 0));
    if (slackMs < 0) return [];
    const what = `delay ${describeEvent(this.#base, position)} to 1 ms past ${limitMs} ms`;
    return [{ kind: "delay", what, events: delayFrom(this.#base, position, slackMs + 1) }];
  }

  #change(index: number, where: Where, keep?: Where): readonly Attempt[] {
    const { subject, events, bindings } = this.#base;
    const event = events[index];
    if (event === undefined) return [];
    return violations(subject, where, bindings, event)
      .filter((changed) => keep === undefined || subject.test(keep, changed, bindings))
      .map((changed) => ({
        kind: "fact",
        what: `change ${describeEvent(this.#base, index)}`,
        events: events.with(index, changed),
      }));
  }

  #drop(where: Where | undefined): readonly Attempt[] {
    const own = where === undefined ? [] : this.#all(where);
    const each = own.length > 1 ? own.slice(-MOST_SPOTS).map((index) => this.#dropped([index])) : [];
    return own.length === 0 ? [] : [this.#dropped(own), ...each];
  }

  #dropped(indices: readonly number[]): Attempt {
    const [only] = indices;
    const what =
      indices.length === 1 && only !== undefined ? describeEvent(this.#base, only) : `${indices.length} events`;
    return { kind: "drop", what: `drop ${what}`, events: without(this.#base, indices) };
  }

  #put(position: number, made: readonly JsonObject[]): Attempt {
    const where = position >= this.#end ? "at the end" : `before ${describeEvent(this.#base, position)}`;
    const what = `put ${made.length === 1 ? "an event" : `${made.length} events`} ${where}`;
    return { kind: "forbid", what, events: insertAt(this.#base, position, made) };
  }

  #putMade(position: number, made: readonly JsonObject[]): readonly Attempt[] {
    return made.length === 0 ? [] : [this.#put(position, made)];
  }

  #several(
    where: Where,
    bindings: Bindings,
    { count, distinct }: { count: number; distinct: Parameters<typeof setAt>[1] | undefined },
  ): readonly JsonObject[] {
    const made = satisfy(this.#base.subject, where, bindings, this.#like(where));
    if (made === undefined) return [];
    return Array.from({ length: count }, (_, number) =>
      distinct === undefined ? made : (setAt(made, distinct, `waymark-${number}`) ?? made),
    );
  }

  #newTrigger(where: Where): readonly [event: JsonObject | undefined, bindings: Bindings] {
    const { subject } = this.#base;
    let event = satisfy(subject, where, new Map(), this.#like(where));
    for (const { path } of event === undefined ? [] : this.#rule.capture) {
      if (event !== undefined && subject.read(path).get(event) === undefined)
        event = setAt(event, path, "waymark-value");
    }
    return [event, (event === undefined ? undefined : captured(subject, this.#rule, event)) ?? new Map()];
  }

  /** An event of the run that looks like it, to make new ones from. */
  #like(where: Where): JsonObject | undefined {
    return this.#base.events.find((event) => this.#base.subject.could(where, event));
  }

  #triggers(where: Where): readonly Trigger[] {
    const { subject, events } = this.#base;
    return this.#all(where)
      .slice(0, MOST_SPOTS)
      .flatMap((index) => {
        const bindings = captured(subject, this.#rule, events[index] ?? {});
        return bindings === undefined ? [] : [{ index, bindings }];
      });
  }

  #all(where: Where): readonly number[] {
    const { subject, events } = this.#base;
    return events.flatMap((event, index) => (subject.could(where, event) ? [index] : []));
  }
}
