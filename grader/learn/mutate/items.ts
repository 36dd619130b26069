import type { MarkerNode, RuleNode } from "../../scenario/ast.ts";
import { type Base, describeEvent } from "./base.ts";
import { DEFECTS, type Target } from "./mutant.ts";
import { leavesIn, nodesOf, type Subject } from "./subject.ts";
import type { DefectOutcome, Tried } from "./trial.ts";

/**
 * One marker or rule, and whether anything makes it fail. `can_fail`: a defect was graded as a failure because of it.
 * `by_design`: it is optional, advisory or only warns. `not_exercised`: no run comes there (another alternative was
 * taken). `cannot_fail`: every defect aimed at it left the verdict, or failed for another reason.
 */
export interface Item {
  readonly target: Target;
  readonly status: "can_fail" | "by_design" | "not_exercised" | "cannot_fail";
  /** Why it cannot fail, for people. */
  readonly why?: string;
  readonly kinds: readonly ItemKind[];
}

export interface ItemKind {
  readonly kind: string;
  readonly caught: number;
  readonly missed: number;
  readonly equivalent: number;
  readonly undecided: number;
}

/** Every marker, every block with conditions of its own, every rule, in the order of the file. */
export function itemsOf(
  subject: Subject,
  bases: readonly Base[],
  defects: readonly Tried<DefectOutcome>[],
): readonly Item[] {
  const { markers, rules } = subject.scenario;
  const loose = new Set(looseNames(markers));
  const ofMarkers = nodesOf(markers)
    .filter((node) => node.kind === "marker" || hasOwnConditions(node))
    .map((node) => item({ kind: "marker", name: node.name }, defects, () => whyMarker(node, { bases, loose })));
  const ofRules = rules.map((rule) => item({ kind: "rule", name: rule.name }, defects, () => whyRule(rule)));
  return [...ofMarkers, ...ofRules];
}

type Why = Pick<Item, "status" | "why">;

function item(target: Target, defects: readonly Tried<DefectOutcome>[], why: () => Why): Item {
  const own = defects.filter(({ mutant }) => mutant.target?.kind === target.kind && mutant.target.name === target.name);
  const kinds = DEFECTS.flatMap((kind) => {
    const those = own.filter(({ mutant }) => mutant.kind === kind);
    const count = (wanted: DefectOutcome): number => those.filter(({ outcome }) => outcome === wanted).length;
    if (those.length === 0) return [];
    return [
      {
        kind,
        caught: count("caught"),
        missed: count("missed"),
        equivalent: count("equivalent"),
        undecided: count("undecided"),
      },
    ];
  });
  const decides = own.some(({ byTarget, outcome }) => byTarget === true && outcome === "caught");
  return { target, kinds, ...(decides ? { status: "can_fail" as const } : why()) };
}

function hasOwnConditions(node: MarkerNode): boolean {
  return (
    node.withinMs !== undefined ||
    node.timespanMs !== undefined ||
    node.without !== undefined ||
    node.immediately ||
    node.same !== undefined ||
    node.distinct !== undefined
  );
}

function whyMarker(node: MarkerNode, { bases, loose }: { bases: readonly Base[]; loose: ReadonlySet<string> }): Why {
  if (node.advisory) return { status: "by_design", why: "it is advisory: it counts in coverage, not in the verdict" };
  if (node.optional) return { status: "by_design", why: "it is optional" };
  if (loose.has(node.name)) return { status: "by_design", why: "it stands in an optional or advisory block" };
  const reached = bases.filter(({ evidence }) => (evidence.get(node.name) ?? []).length > 0);
  if (reached.length === 0) return { status: "not_exercised", why: "no run takes this way" };
  const [stand] = reached.flatMap((base) => standIn(base, node));
  if (stand !== undefined) return { status: "cannot_fail", why: `another event also satisfies it: ${stand}` };
  return { status: "cannot_fail", why: "no defect aimed at it made the run fail because of it" };
}

/** An event that the marker does not use and could. */
function standIn(base: Base, node: MarkerNode): readonly string[] {
  const own = base.evidence.get(node.name) ?? [];
  const index = base.events.findIndex(
    (event, position) =>
      !own.includes(position) && leavesIn([node]).some(({ where }) => base.subject.could(where, event)),
  );
  if (index < 0) return [];
  const all = base.events.every((event) => leavesIn([node]).some(({ where }) => base.subject.could(where, event)));
  return [all ? "any event does" : `${describeEvent(base, index)} in ${base.name}`];
}

function whyRule({ severity }: RuleNode): Why {
  if (severity !== "error")
    return { status: "by_design", why: `its severity is ${severity}: it does not decide the verdict` };
  return { status: "cannot_fail", why: "no event put in, taken out, changed or delayed broke it" };
}

/** Markers inside blocks that may be skipped as a whole. */
function looseNames(markers: readonly MarkerNode[]): readonly string[] {
  return markers.flatMap((node) => {
    if (node.kind === "marker") return [];
    const inner = node.lists.flat();
    return node.optional || node.advisory ? nodesOf(inner).map(({ name }) => name) : looseNames(inner);
  });
}
