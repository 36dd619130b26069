import { didYouMean } from "../../proxy/record/near.ts";
import type { MarkerNode, RuleNode, Scenario, Where } from "./ast.ts";
import type { Build } from "./build.ts";
import { variablesIn } from "./operands.ts";

/**
 * Checks that every `$variable` has a value wherever it is used (LANGUAGE.md section 4.4): a parameter, or a capture on
 * every path to the use. Not bound are captures of optional and advisory markers, of only one alternative, of a sibling chain, and,
 * outside, those of a repeated group. Rules know the captures of their trigger only.
 */
export function checkVariables(scenario: Scenario, build: Build): void {
  const checker = new VariableChecker(scenario, build);
  checker.markers();
  for (const rule of scenario.rules) checker.rule(rule);
  if (scenario.events.sessionEnd !== undefined) checker.uses(scenario.events.sessionEnd, new Set(), "session_end");
}

type Bound = ReadonlySet<string>;

class VariableChecker {
  readonly #scenario: Scenario;
  readonly #build: Build;
  readonly #params: ReadonlySet<string>;
  readonly #captured = new Set<string>();
  readonly #used = new Set<string>();

  constructor(scenario: Scenario, build: Build) {
    this.#scenario = scenario;
    this.#build = build;
    this.#params = new Set(scenario.params.map(({ name }) => name));
    for (const marker of scenario.markers) this.#note(marker);
  }

  markers(): void {
    this.#list(this.#scenario.markers, new Set());
    this.#unused(this.#scenario.markers);
  }

  rule(rule: RuleNode): void {
    const { capture, after, before, between, until, without } = rule;
    const captured = new Set(capture.map(({ name }) => name));
    for (const trigger of [after, before, between?.[0]]) this.uses(trigger, new Set(), "the trigger");
    for (const part of [between?.[1], until, without]) this.uses(part, captured, "this rule");
    if (rule.verb === "span") {
      this.uses(rule.start, new Set(), "the trigger");
      this.uses(rule.end, captured, "this rule");
      return;
    }
    this.uses(rule.target, captured, "this rule");
    if (rule.verb === "each") this.uses(rule.must, captured, "this rule");
    if (rule.verb === "if") this.uses(rule.condition, captured, "this rule");
    this.#shadowed(capture);
  }

  uses(where: Where | undefined, bound: Bound, what: string): void {
    for (const { name, place } of variablesIn(where)) {
      this.#used.add(name);
      if (bound.has(name) || this.#params.has(name)) continue;
      const isElsewhere = this.#captured.has(name) && what === "this marker";
      const known = [...bound, ...this.#params];
      const message = isElsewhere
        ? `"$${name}" is captured, but not on every path to ${what}`
        : `"$${name}" has no value in ${what}${didYouMean(name, known)}`;
      const fix = isElsewhere
        ? "Capture it in a marker that always comes before: not optional, not in one alternative, not in another chain."
        : `Capture it first, declare it under params:, or write $$ for a dollar sign${known.length > 0 ? `. Known here: ${known.join(", ")}.` : "."}`;
      this.#build.report("WM_SCENARIO_VARIABLE", message, place, { fix });
    }
  }

  /** What is bound after the list. */
  #list(list: readonly MarkerNode[], before: Bound): Bound {
    return list.reduce((bound, marker) => this.#marker(marker, bound), before);
  }

  #marker(marker: MarkerNode, before: Bound): Bound {
    this.uses(marker.without, before, "this marker");
    if (marker.kind === "marker") {
      this.uses(marker.where, before, "this marker");
      this.#shadowed(marker.capture);
      const captured = marker.capture.map(({ name }) => name);
      return isSkippable(marker) ? before : new Set([...before, ...captured]);
    }
    const after = marker.lists.map((list) => this.#list(list, before));
    if (isSkippable(marker) || marker.repeat > 1) return before;
    if (marker.kind !== "one_of") return new Set(after.flatMap((bound) => [...bound]));
    const [first = before, ...others] = after;
    return new Set([...first].filter((name) => others.every((bound) => bound.has(name))));
  }

  #note(marker: MarkerNode): void {
    if (marker.kind === "marker") for (const { name } of marker.capture) this.#captured.add(name);
    else for (const inner of marker.lists.flat()) this.#note(inner);
  }

  #shadowed(capture: readonly { readonly name: string; readonly place: MarkerNode["place"] }[]): void {
    for (const { name, place } of capture) {
      if (!this.#params.has(name)) continue;
      const message = `"${name}" is a parameter already, and cannot be captured too`;
      this.#build.report("WM_SCENARIO_VARIABLE", message, place, { fix: "Give one of them another name." });
    }
  }

  #unused(markers: readonly MarkerNode[]): void {
    for (const marker of markers) {
      if (marker.kind !== "marker") this.#unused(marker.lists.flat());
      else for (const { name, place } of marker.capture) if (!this.#used.has(name)) this.#warn(name, place);
    }
  }

  #warn(name: string, place: MarkerNode["place"]): void {
    const fix = `Use it as $${name} in a later marker, or remove the capture (it also asks for the field to be there).`;
    this.#build.report("WM_SCENARIO_LINT", `"${name}" is captured but never used`, place, { severity: "warning", fix });
  }
}

/** The match may pass it by without an event, so that nothing captured in it is certain. */
function isSkippable({ optional, advisory }: MarkerNode): boolean {
  return optional || advisory;
}
