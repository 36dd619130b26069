import type { RuleLimits, RuleMachine } from "./machine.ts";
import type { Pattern } from "./pattern.ts";
import { CountIntervalMachine, CountMachine } from "./rule-count.ts";
import { AfterExpectMachine, ExpectMachine } from "./rule-expect.ts";
import { ExpectIntervalMachine, type IntervalScope, NeverIntervalMachine } from "./rule-interval.ts";
import { NeverAfterMachine, NeverBeforeMachine, NeverMachine } from "./rule-never.ts";
import type { RulePlan } from "./rule-plan.ts";
import { BeforeExpectMachine } from "./rule-precede.ts";
import { EachMachine, EdgeMachine, IfMachine } from "./rule-single.ts";
import { SpanMachine } from "./rule-span.ts";

/** The machine of a rule, by its verb and its scope (LANGUAGE.md sections 5 and 5.2). */
export function createMachine(plan: RulePlan, limits: RuleLimits): RuleMachine {
  const { node, target, span, must, condition } = plan;
  if (node.verb === "span" && span !== undefined) {
    return new SpanMachine(plan, { span, maxMs: node.maxMs, mustEnd: node.mustEnd }, limits);
  }
  if (target === undefined) throw new TypeError(`rule "${node.name}" has no target`);
  if (node.verb === "each" && must !== undefined) return new EachMachine(plan, { target, must });
  if (node.verb === "if" && condition !== undefined) {
    return new IfMachine(plan, { target, condition, isNever: node.then === "never" }, limits);
  }
  if (node.verb === "first" || node.verb === "last") {
    return new EdgeMachine(plan, { target, isFirst: node.verb === "first" });
  }
  return scopedMachine(plan, target, limits);
}

function scopedMachine(plan: RulePlan, target: Pattern, limits: RuleLimits): RuleMachine {
  const { node, after, before } = plan;
  const scope = intervalScope(plan);
  if (node.verb === "count") {
    return scope === undefined
      ? new CountMachine(plan, target, limits)
      : new CountIntervalMachine(plan, { target, scope }, limits);
  }
  if (node.verb === "never") {
    if (after !== undefined && plan.until === undefined) return new NeverAfterMachine(plan, { target, after }, limits);
    if (scope !== undefined) return new NeverIntervalMachine(plan, { target, scope }, limits);
    if (before !== undefined) return new NeverBeforeMachine(plan, { target, before }, limits);
    return new NeverMachine(plan, target);
  }
  if (after !== undefined && plan.until === undefined) return new AfterExpectMachine(plan, { target, after }, limits);
  if (scope !== undefined) return new ExpectIntervalMachine(plan, { target, scope }, limits);
  if (before !== undefined) return new BeforeExpectMachine(plan, { target, before }, limits);
  return new ExpectMachine(plan, target);
}

function intervalScope({ between, after, until }: RulePlan): IntervalScope | undefined {
  if (between !== undefined) return { open: between[0], close: between[1], openCounts: false };
  return after === undefined ? undefined : { open: after, close: until, openCounts: true };
}
