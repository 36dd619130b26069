import { type Fault, fault } from "../../proxy/record/fault.ts";
import { compilePath, type PathAccess, type WhereContext } from "../operators/where.ts";
import type { BlockMarker, EventMarker, FieldPath, MarkerNode } from "../scenario/ast.ts";
import type { Capture } from "./keys.ts";
import { compilePattern, type Pattern } from "./pattern.ts";

interface CommonPlan {
  /** Number of the node, from 0, in the order of the file. */
  readonly id: number;
  readonly name: string;
  /** Optional or advisory: the match may go on without it. */
  readonly skippable: boolean;
  readonly repeat: number;
  readonly distinct: readonly PathAccess[];
  readonly same: readonly PathAccess[];
  readonly timespanMs: number | undefined;
  readonly withinMs: number | undefined;
  readonly without: Pattern | undefined;
  readonly immediately: boolean;
  readonly node: MarkerNode;
  /** Which marker of the outer list it belongs to. */
  readonly root: number;
}

export interface LeafPlan extends CommonPlan {
  readonly kind: "leaf";
  readonly pattern: Pattern;
  readonly captures: readonly Capture[];
  /** A repetition whose first event matters for a time span: it keeps its latest events instead of its earliest. */
  readonly windowed: boolean;
}

export interface BlockPlan extends CommonPlan {
  readonly kind: "block";
  readonly mode: "sequence" | "one_of" | "any_order";
  readonly lists: readonly (readonly NodePlan[])[];
  /** Variables captured inside, which a repeated group forgets after each round. */
  readonly locals: readonly string[];
  /** Everything in it may be skipped. */
  readonly nullable: boolean;
}

export type NodePlan = LeafPlan | BlockPlan;

/** The ordered list as one block, and what the matcher has to know about it. */
export interface MarkerPlan {
  readonly root: BlockPlan;
  readonly markers: readonly NodePlan[];
  /** Per position of the outer list, the variables that are still read from there on. */
  readonly live: readonly ReadonlySet<string>[];
  /**
   * The first position from which on no marker looks back: no limit, `without`, `immediately` or captured value from
   * before. A way that has come there stays open, so ways that are behind it are not needed.
   */
  readonly freeFrom: number;
  /** Some time limit is involved, so later anchors win over smaller lines. */
  readonly timed: boolean;
  /** Advisory markers behind the last one that decides: looked for although the list is found already. */
  readonly trailing: readonly LeafPlan[];
  /** A list of single events whose tests look only at the event: the greedy loop is exact. */
  readonly flat: readonly LeafPlan[] | undefined;
  /** The names an event must have to move any marker or to stand in its way; undefined when it could have any. */
  readonly names: ReadonlySet<string> | undefined;
}

/** Compiles the ordered markers. `timespanMs` is the limit on the whole list. */
export function planMarkers(
  nodes: readonly MarkerNode[],
  timespanMs: number | undefined,
  context: WhereContext,
): MarkerPlan {
  const compiler = new PlanCompiler(context);
  const markers = nodes.map((node, root) => compiler.node(node, root, timespanMs !== undefined));
  const root: BlockPlan = {
    ...BARE,
    kind: "block",
    mode: "sequence",
    id: -1,
    name: "",
    timespanMs,
    lists: [markers],
    locals: [],
    nullable: markers.every(canSkip),
    node: ROOT_NODE,
  };
  const live = liveVariables(markers);
  const freeFrom = timespanMs === undefined ? firstFree(markers, live) : markers.length;
  const timed = timespanMs !== undefined || compiler.timed;
  const flat = timed ? undefined : flatList(markers);
  return { root, markers, live, freeFrom, timed, flat, trailing: trailingAdvice(markers), names: namesIn(markers) };
}

function namesIn(markers: readonly NodePlan[]): ReadonlySet<string> | undefined {
  const patterns = markers.flatMap(patternsIn);
  const names = patterns.map((pattern) => pattern.names);
  return names.includes(undefined) ? undefined : new Set(names.flatMap((list) => list ?? []));
}

function patternsIn(plan: NodePlan): readonly Pattern[] {
  const own = plan.without === undefined ? [] : [plan.without];
  return plan.kind === "leaf" ? [plan.pattern, ...own] : [...own, ...plan.lists.flat().flatMap(patternsIn)];
}

/** True for a node the match may pass without using an event. */
export function canSkip(plan: NodePlan): boolean {
  return plan.skippable || (plan.kind === "block" && plan.nullable);
}

/** All leaves of a node, in the order of the file. */
export function leavesOf(plan: NodePlan): LeafPlan[] {
  return plan.kind === "leaf" ? [plan] : plan.lists.flatMap((list) => list.flatMap(leavesOf));
}

const ROOT_NODE: BlockMarker = {
  kind: "sequence",
  name: "",
  place: { file: "", line: 1, column: 1 },
  optional: false,
  advisory: false,
  weight: 1,
  repeat: 1,
  immediately: false,
  lists: [],
};

const BARE = {
  skippable: false,
  repeat: 1,
  distinct: [],
  same: [],
  withinMs: undefined,
  without: undefined,
  immediately: false,
  root: -1,
} as const;

class PlanCompiler {
  timed = false;
  #next = 0;
  readonly #context: WhereContext;

  constructor(context: WhereContext) {
    this.#context = context;
  }

  node(node: MarkerNode, root: number, inWindow: boolean): NodePlan {
    const { timespanMs, withinMs, without } = node;
    if (timespanMs !== undefined || withinMs !== undefined) this.timed = true;
    const common: CommonPlan = {
      id: this.#next++,
      name: node.name,
      skippable: node.optional || node.advisory,
      repeat: node.repeat,
      distinct: this.#paths(node.distinct),
      same: this.#paths(node.same),
      timespanMs,
      withinMs,
      without: without === undefined ? undefined : compilePattern(without, this.#context),
      immediately: node.immediately,
      node,
      root,
    };
    const windowed = inWindow || timespanMs !== undefined;
    return node.kind === "marker" ? this.#leaf(node, common, windowed) : this.#block(node, common, windowed);
  }

  #leaf(node: EventMarker, common: CommonPlan, windowed: boolean): LeafPlan {
    const captures = node.capture.map(({ name, path }) => ({ name, path: this.#path(path) }));
    return { ...common, kind: "leaf", pattern: compilePattern(node.where, this.#context), captures, windowed };
  }

  #block(node: BlockMarker, common: CommonPlan, windowed: boolean): BlockPlan {
    const lists = node.lists.map((list) => list.map((item) => this.node(item, common.root, windowed)));
    const locals = lists
      .flatMap((list) => list.flatMap(leavesOf))
      .flatMap(({ captures }) => captures.map(({ name }) => name));
    if (node.immediately && lists.some(beginsRepeated)) this.#context.fault(cannotBeImmediate(node));
    const empty = lists.map((list) => list.every(canSkip));
    const nullable = node.kind === "one_of" ? empty.some(Boolean) : empty.every(Boolean);
    return { ...common, kind: "block", mode: node.kind, lists, locals, nullable };
  }

  #paths(paths: readonly FieldPath[] = []): PathAccess[] {
    return paths.map((path) => this.#path(path));
  }

  #path(path: FieldPath): PathAccess {
    return compilePath(path, this.#context.eventName);
  }
}

/** A repetition that opens a list: which of its events is the first is open until the last one came. */
function beginsRepeated(list: readonly NodePlan[]): boolean {
  for (const plan of list) {
    const isRepeated = plan.kind === "leaf" ? plan.repeat > 1 && !plan.immediately : plan.lists.some(beginsRepeated);
    if (isRepeated) return true;
    if (!canSkip(plan)) return false;
  }
  return false;
}

function cannotBeImmediate({ name, place }: BlockMarker): Fault {
  return fault("WM_SCENARIO_UNSUPPORTED", `"${name}" is immediately, but begins with a repeated marker`, {
    place,
    fix: "Write immediately: true at the repeated marker inside the block.",
  });
}

function flatList(markers: readonly NodePlan[]): LeafPlan[] | undefined {
  const leaves = markers.filter((plan) => plan.kind === "leaf");
  const plain = leaves.filter(
    (leaf) =>
      leaf.repeat === 1 &&
      !leaf.skippable &&
      !leaf.immediately &&
      leaf.without === undefined &&
      leaf.captures.length === 0 &&
      leaf.same.length + leaf.distinct.length === 0 &&
      leaf.pattern.variables.length === 0,
  );
  return plain.length === markers.length ? plain : undefined;
}

function trailingAdvice(markers: readonly NodePlan[]): LeafPlan[] {
  const tail = markers.slice(markers.findLastIndex((plan) => !canSkip(plan)) + 1);
  return tail.filter(
    (plan) => plan.kind === "leaf" && plan.node.advisory && plan.pattern.variables.length === 0,
  ) as LeafPlan[];
}

function firstFree(markers: readonly NodePlan[], live: readonly ReadonlySet<string>[]): number {
  let first = markers.length;
  while (first > 0 && isFree(markers[first - 1]) && live[first - 1]?.size === 0) first -= 1;
  return first;
}

/** Inside a block a marker may look back: what it looks at comes after the block's beginning. */
function isFree(plan: NodePlan | undefined): boolean {
  if (plan === undefined) return false;
  return plan.withinMs === undefined && plan.without === undefined && !plan.immediately && !opensLimited(plan);
}

/** The first marker of a block is measured from before the block. */
function opensLimited(plan: NodePlan): boolean {
  return plan.kind === "block" && plan.lists.some((list) => list.some((item) => !isFree(item)));
}

function liveVariables(markers: readonly NodePlan[]): ReadonlySet<string>[] {
  const live: ReadonlySet<string>[] = [];
  let names = new Set<string>();
  for (const marker of [...markers].reverse()) {
    names = new Set([...names, ...readBy(marker)]);
    live.unshift(names);
  }
  return [...live, new Set<string>()];
}

function readBy(plan: NodePlan): string[] {
  const own = plan.without?.variables ?? [];
  if (plan.kind === "leaf") return [...own, ...plan.pattern.variables];
  return [...own, ...plan.lists.flatMap((list) => list.flatMap(readBy))];
}
