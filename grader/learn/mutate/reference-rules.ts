import type { JsonObject } from "../../../proxy/record/json.ts";
import { type Bindings, valueKey } from "../../operators/where.ts";
import type { FieldPath, RuleNode, Where } from "../../scenario/ast.ts";
import type { SessionTrace } from "./session-traces.ts";
import type { Subject } from "./subject.ts";

type Of<V extends RuleNode["verb"]> = Extract<RuleNode, { readonly verb: V }>;

interface Trigger {
  readonly index: number;
  readonly bindings: Bindings;
}

interface Interval {
  readonly bindings: Bindings;
  readonly start: number;
  readonly end: number | undefined;
  readonly inside: readonly number[];
}

const NO_BINDINGS: Bindings = new Map();

/**
 * Whether a rule holds on a complete session, quantifier by quantifier (LANGUAGE.md section 5). Shares no code with the
 * rules' machines.
 */
export function ruleHolds(subject: Subject, rule: RuleNode, trace: SessionTrace): boolean {
  return new RuleReading(subject, rule, trace).holds();
}

class RuleReading {
  readonly #subject: Subject;
  readonly #rule: RuleNode;
  readonly #events: readonly JsonObject[];
  readonly #at: readonly number[];

  constructor(subject: Subject, rule: RuleNode, { events, at }: SessionTrace) {
    this.#subject = subject;
    this.#rule = rule;
    this.#events = events;
    this.#at = at;
  }

  holds(): boolean {
    const rule = this.#rule;
    if (rule.requireTrigger && !this.#isTriggered()) return false;
    switch (rule.verb) {
      case "never":
        return this.#never(rule);
      case "expect":
        return this.#expect(rule);
      case "count":
        return this.#count(rule);
      case "each":
        return this.#where(rule.target).every((index) => this.#is(rule.must, index, NO_BINDINGS));
      case "span":
        return this.#span(rule);
      case "if": {
        const both = this.#where(rule.condition).length > 0 && this.#where(rule.target).length > 0;
        return rule.then === "never" ? !both : both || this.#where(rule.condition).length === 0;
      }
      case "first":
        return this.#events.length > 0 && this.#is(rule.target, 0, NO_BINDINGS);
      case "last":
        return this.#events.length > 0 && this.#is(rule.target, this.#events.length - 1, NO_BINDINGS);
    }
  }

  #isTriggered(): boolean {
    const rule = this.#rule;
    const trigger = triggerOf(rule);
    return trigger === undefined || this.#triggers(trigger).length > 0;
  }

  #never(rule: Of<"never">): boolean {
    const { after, before, target } = rule;
    if (rule.between !== undefined || rule.until !== undefined) {
      return this.#intervals().every(({ bindings, inside }) =>
        inside.every((index) => !this.#is(target, index, bindings)),
      );
    }
    if (after !== undefined) {
      return this.#triggers(after).every(({ index, bindings }) =>
        this.#where(target, bindings).every((x) => (rule.immediately ? x !== index + 1 : x <= index)),
      );
    }
    const end = before === undefined ? this.#events.length : (this.#where(before)[0] ?? this.#events.length);
    return this.#where(target).every((index) => index >= end);
  }

  #expect(rule: Of<"expect">): boolean {
    const { after, before, target, withinMs } = rule;
    if (rule.between !== undefined || rule.until !== undefined) {
      return this.#intervals().every(({ bindings, inside }) =>
        inside.some((index) => this.#is(target, index, bindings)),
      );
    }
    if (after !== undefined) return this.#answered(after, rule, "later");
    if (before !== undefined) return this.#answered(before, rule, "earlier");
    const start = this.#at[0] ?? 0;
    return this.#where(target).some((index) => withinMs === undefined || this.#time(index) - start <= withinMs);
  }

  #answered(trigger: Where, rule: Of<"expect">, side: "later" | "earlier"): boolean {
    const { withinMs, without, immediately } = rule;
    return this.#triggers(trigger).every(({ index, bindings }) => {
      const spoilers = without === undefined ? [] : this.#where(without, bindings);
      return this.#where(rule.target, bindings).some((x) => {
        const [low, high] = side === "later" ? [index, x] : [x, index];
        if (high <= low || (immediately && high !== low + 1)) return false;
        if (withinMs !== undefined && this.#time(high) - this.#time(low) > withinMs) return false;
        return !spoilers.some((k) => k > low && k < high);
      });
    });
  }

  #count(rule: Of<"count">): boolean {
    const { before, after, between, target, min } = rule;
    if (after !== undefined || between !== undefined) {
      return this.#intervals().every(({ bindings, inside }) =>
        this.#bounded(
          rule,
          inside.filter((index) => this.#is(target, index, bindings)),
          min,
        ),
      );
    }
    if (before === undefined) return this.#bounded(rule, this.#where(target), min);
    const boundary = this.#where(before)[0];
    const hits = this.#where(target).filter((index) => boundary === undefined || index < boundary);
    return this.#bounded(rule, hits, boundary === undefined ? undefined : min);
  }

  #bounded(rule: Of<"count">, hits: readonly number[], min: number | undefined): boolean {
    const groups = new Map<string, number[]>();
    if (rule.per === undefined) groups.set("", [...hits]);
    else {
      for (const index of hits) {
        const key = this.#key(index, rule.per);
        if (key !== undefined) groups.set(key, [...(groups.get(key) ?? []), index]);
      }
    }
    return [...groups.values()].every((group) => {
      const most = this.#most(rule, group);
      return most <= (rule.max ?? Number.POSITIVE_INFINITY) && most >= (min ?? 0);
    });
  }

  /** The number, or with a time span the largest number in any window. */
  #most({ distinct, timespanMs }: Of<"count">, hits: readonly number[]): number {
    const size = (window: readonly number[]): number => {
      if (distinct === undefined) return window.length;
      return new Set(window.map((index) => this.#key(index, distinct)).filter((key) => key !== undefined)).size;
    };
    if (timespanMs === undefined) return size(hits);
    return Math.max(
      0,
      ...hits.map((end) => size(hits.filter((k) => k <= end && this.#time(end) - this.#time(k) <= timespanMs))),
    );
  }

  #span(rule: Of<"span">): boolean {
    const last = this.#at.at(-1) ?? 0;
    return this.#machines(rule.start, rule.end).every(({ start, end }) => {
      if (end === undefined && rule.mustEnd) return false;
      return (end === undefined ? last : this.#time(end)) - this.#time(start) <= rule.maxMs;
    });
  }

  /** Closed intervals of `between`, all of `after` and `until`. */
  #intervals(): readonly Interval[] {
    const { between, after, until } = this.#rule;
    if (between !== undefined) return this.#machines(between[0], between[1]).filter(({ end }) => end !== undefined);
    return after === undefined ? [] : this.#machines(after, until);
  }

  /** One machine per key, CLOSED, OPEN, CLOSED; what opens or closes is not inside. */
  #machines(open: Where, close: Where | undefined): readonly Interval[] {
    const triggers = this.#triggers(open);
    const keys = new Map(triggers.map(({ bindings }) => [keyOf(bindings), bindings]));
    return [...keys].flatMap(([key, bindings]) => {
      const opens = new Set(triggers.filter((one) => keyOf(one.bindings) === key).map(({ index }) => index));
      const found: Interval[] = [];
      let current: { start: number; inside: number[] } | undefined;
      for (let index = 0; index < this.#events.length; index++) {
        if (current === undefined) {
          if (opens.has(index)) current = { start: index, inside: [] };
        } else if (close !== undefined && this.#is(close, index, bindings)) {
          found.push({ ...current, bindings, end: index });
          current = undefined;
        } else if (!opens.has(index)) current.inside.push(index);
      }
      return current === undefined ? found : [...found, { ...current, bindings, end: undefined }];
    });
  }

  #triggers(where: Where): readonly Trigger[] {
    return this.#where(where).flatMap((index) => {
      const bindings = captured(this.#subject, this.#rule, this.#events[index] ?? {});
      return bindings === undefined ? [] : [{ index, bindings }];
    });
  }

  #where(where: Where, bindings: Bindings = NO_BINDINGS): readonly number[] {
    return this.#events.flatMap((_, index) => (this.#is(where, index, bindings) ? [index] : []));
  }

  #is(where: Where, index: number, bindings: Bindings): boolean {
    return this.#subject.test(where, this.#events[index] ?? {}, bindings);
  }

  #time(index: number): number {
    return this.#at[index] ?? 0;
  }

  #key(index: number, paths: readonly FieldPath[]): string | undefined {
    const values = paths.map((path) => this.#subject.read(path).get(this.#events[index] ?? {}));
    return values.includes(undefined) ? undefined : JSON.stringify(values.map((value) => valueKey(value ?? null)));
  }
}

/** What a rule remembers of its trigger; undefined when the event lacks one of the fields. */
export function captured({ read }: Subject, { capture }: RuleNode, event: JsonObject): Bindings | undefined {
  const values = capture.map(({ name, path }) => [name, read(path).get(event)] as const);
  if (values.some(([, value]) => value === undefined)) return undefined;
  return new Map(values.map(([name, value]) => [name, value ?? null]));
}

/** The event that puts a rule to work; undefined for a rule that always is. */
export function triggerOf(rule: RuleNode): Where | undefined {
  const scope = rule.after ?? rule.between?.[0] ?? rule.before;
  if (scope !== undefined) return scope;
  if (rule.verb === "span") return rule.start;
  if (rule.verb === "if") return rule.condition;
  return rule.verb === "each" ? rule.target : undefined;
}

function keyOf(bindings: Bindings): string {
  return JSON.stringify([...bindings].map(([name, value]) => [name, valueKey(value)]));
}
