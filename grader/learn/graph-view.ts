import { reversePostorder } from "./dominators.ts";
import { labelOf } from "./labels.ts";
import type { Model } from "./model.ts";
import type { Looks } from "./pictures/looks.ts";

/** A state as it is drawn. */
export interface ViewState {
  readonly id: number;
  readonly label: string;
  readonly kind: "start" | "end" | "essential" | "optional";
  readonly convergent: boolean;
  readonly class: string;
  readonly runs: number;
  /** Its column, from the start: one more than that of the latest state before it (loops left aside). */
  readonly layer: number;
}

export interface GraphView {
  readonly schema: "waymark.graph/1";
  readonly runs: number;
  readonly loopy: boolean;
  readonly tiers: { readonly tree: number; readonly normalised: number };
  /** How many pictures the runs have, how many looks they show, pairs merged by tier, and pairs nobody decided. */
  readonly pictures?: {
    readonly count: number;
    readonly looks: number;
    readonly merged: Looks["merged"];
    readonly open: number;
  };
  readonly states: readonly ViewState[];
  readonly edges: readonly { readonly from: number; readonly to: number; readonly runs: number }[];
}

/** More states than this cannot be looked at; those that most runs pass are shown. */
const MOST_STATES = 400;

/** The learned graph for people and programs: states with what they are, edges with how many runs took them. */
export function viewGraph({ graph, steps, corpus, looks }: Model): GraphView {
  const layers = layersOf(graph);
  const runs = corpus.traces.length;
  const all = graph.states.map((state, id): ViewState => {
    const step = steps[state.step];
    const kind = id === graph.start ? "start" : id === graph.end ? "end" : state.essential ? "essential" : "optional";
    const label = step === undefined ? kind : `${labelOf(step, steps)}${state.time > 1 ? ` #${state.time}` : ""}`;
    return {
      id,
      label,
      kind,
      convergent: state.convergent && kind !== "end",
      class: step?.kind ?? "",
      runs: state.runs,
      layer: layers[id] ?? 0,
    };
  });
  const shown = new Set(
    [...all]
      .sort((a, b) => b.runs - a.runs || a.id - b.id)
      .slice(0, MOST_STATES)
      .map(({ id }) => id),
  );
  return {
    schema: "waymark.graph/1",
    runs,
    loopy: graph.isLoopy,
    tiers: graph.tiers,
    ...(corpus.pictures === undefined ? {} : { pictures: picturesOf(corpus.pictures.length, looks) }),
    states: all.filter(({ id }) => shown.has(id)),
    edges: graph.edges.filter(({ from, to }) => shown.has(from) && shown.has(to)),
  };
}

function picturesOf(count: number, { of, merged, open }: Looks): NonNullable<GraphView["pictures"]> {
  return { count, looks: new Set([...of.values()].map(({ id }) => id)).size, merged, open: open.length };
}

/** Longest way from the start over edges that go forward in reverse postorder. */
function layersOf({ states, edges, start, end }: Model["graph"]): readonly number[] {
  const successors = states.map((): number[] => []);
  for (const { from, to } of edges) successors[from]?.push(to);
  const order = reversePostorder(successors, start);
  const rank = new Map(order.map((node, index) => [node, index]));
  const layers = states.map(() => 0);
  for (const node of order) {
    for (const to of successors[node] ?? []) {
      if ((rank.get(to) ?? 0) > (rank.get(node) ?? 0)) layers[to] = Math.max(layers[to] ?? 0, (layers[node] ?? 0) + 1);
    }
  }
  layers[end] = Math.max(...layers.filter((_, node) => node !== end), 0) + 1;
  return layers;
}

/** The graph in the DOT language (Graphviz): boxes are essential, dashed ones optional, double ones convergent. */
export function toDot(view: GraphView): string {
  const states = view.states.map(({ id, label, kind, convergent, runs }) => {
    const shape = kind === "start" || kind === "end" ? "circle" : "box";
    const style =
      kind === "optional" ? ', style="rounded,dashed"' : kind === "essential" ? ', style="rounded,bold"' : "";
    return `  s${id} [label=${JSON.stringify(`${label}\n${runs}/${view.runs}`)}, shape=${shape}${style}${convergent ? ", peripheries=2" : ""}];`;
  });
  const edges = view.edges.map(({ from, to, runs }) => `  s${from} -> s${to} [label="${runs}"];`);
  return `digraph learned {\n  rankdir=LR;\n${[...states, ...edges].join("\n")}\n}\n`;
}
