import { compilePath, type PathAccess, type WhereContext } from "../operators/where.ts";
import type { FieldPath, RuleNode, Where } from "../scenario/ast.ts";
import type { Capture } from "./keys.ts";
import { compilePattern, type Pattern } from "./pattern.ts";

/** A rule with its patterns compiled. Which of them there are follows from the verb and the scope. */
export interface RulePlan {
  readonly node: RuleNode;
  readonly captures: readonly Capture[];
  readonly target: Pattern | undefined;
  readonly after: Pattern | undefined;
  readonly before: Pattern | undefined;
  readonly between: readonly [Pattern, Pattern] | undefined;
  readonly until: Pattern | undefined;
  readonly without: Pattern | undefined;
  readonly must: Pattern | undefined;
  readonly condition: Pattern | undefined;
  readonly span: readonly [Pattern, Pattern] | undefined;
  readonly distinct: readonly PathAccess[];
  readonly per: readonly PathAccess[];
  /** The event's name, for sentences. */
  readonly eventName: PathAccess;
}

/** Compiles a rule; faults go to the context. */
export function planRule(node: RuleNode, context: WhereContext): RulePlan {
  const pattern = (where: Where | undefined): Pattern | undefined =>
    where === undefined ? undefined : compilePattern(where, context);
  const pair = (wheres: readonly [Where, Where] | undefined): readonly [Pattern, Pattern] | undefined =>
    wheres === undefined ? undefined : [compilePattern(wheres[0], context), compilePattern(wheres[1], context)];
  const paths = (list: readonly FieldPath[] = []): PathAccess[] =>
    list.map((path) => compilePath(path, context.eventName));
  return {
    node,
    captures: node.capture.map(({ name, path }) => ({ name, path: compilePath(path, context.eventName) })),
    target: node.verb === "span" ? undefined : pattern(node.target),
    after: pattern(node.after),
    before: pattern(node.before),
    between: pair(node.between),
    until: pattern(node.until),
    without: pattern(node.without),
    must: node.verb === "each" ? pattern(node.must) : undefined,
    condition: node.verb === "if" ? pattern(node.condition) : undefined,
    span: node.verb === "span" ? pair([node.start, node.end]) : undefined,
    distinct: node.verb === "count" ? paths(node.distinct) : [],
    per: node.verb === "count" ? paths(node.per) : [],
    eventName: compilePath(context.eventName),
  };
}

/** Every pattern of a rule; what a late event has to satisfy to make the rule inconclusive. */
export function patternsOf(plan: RulePlan): Pattern[] {
  const { target, after, before, until, without, condition } = plan;
  const all = [target, after, before, until, without, condition, ...(plan.between ?? []), ...(plan.span ?? [])];
  return all.filter((pattern) => pattern !== undefined);
}
