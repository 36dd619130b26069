import type { GraphView, ViewState } from "./graph-view.ts";

const BOX = { width: 168, height: 44 };
const GAP = { x: 76, y: 26 };
const MARGIN = 28;
/** Room below the columns for edges that pass states by, and for the legend. */
const LEGEND = 90;
const MOST_LABEL = 22;

interface Spot {
  readonly state: ViewState;
  readonly x: number;
  readonly y: number;
}

/**
 * The learned graph as an SVG of its own: columns from start to end, essential states filled, optional ones dashed, those
 * where paths meet with a double border, the number of runs on each edge. It follows the reader's light or dark scheme.
 */
export function toSvg(view: GraphView): string {
  const { spots, width, height } = layOut(view);
  const edges = view.edges.map((edge) => edgeSvg(edge, spots, view.runs)).join("\n");
  const states = [...spots.values()].map((spot) => stateSvg(spot, view.runs)).join("\n");
  const title = `Learned from ${view.runs} runs: ${view.states.length} states`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${inXml(title)}">
<title>${inXml(title)}</title>
<style>${STYLE}</style>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path class="tip" d="M0 0 8 4 0 8z"/></marker></defs>
<rect class="page" width="${width}" height="${height}"/>
${edges}
${states}
${legend(height, view)}
</svg>
`;
}

const STYLE = `
.page{fill:#fff}.box{stroke:#1f4fa3;fill:#dce8fb;stroke-width:1.6}.optional .box{fill:#fff;stroke:#6b7280;stroke-dasharray:5 4}
.end .box,.start .box{fill:#e7f5e9;stroke:#2e7d32}.ring{fill:none;stroke:#1f4fa3;stroke-width:1}
text{font:12px system-ui,sans-serif;fill:#111827}.few{fill:#4b5563;font-size:11px}.edge{fill:none;stroke:#6b7280}.tip{fill:#6b7280}.back{stroke-dasharray:3 3}
@media (prefers-color-scheme:dark){.page{fill:#111827}.box{stroke:#8ab4f8;fill:#1e3a5f}.optional .box{fill:#111827;stroke:#9ca3af}
.end .box,.start .box{fill:#16351d;stroke:#81c995}.ring{stroke:#8ab4f8}text{fill:#f3f4f6}.few{fill:#d1d5db}.edge{stroke:#9ca3af}.tip{fill:#9ca3af}}`;

/** Columns by layer; within a column by the average place of the states before, so that lines cross little. */
function layOut({ states, edges }: GraphView): { spots: ReadonlyMap<number, Spot>; width: number; height: number } {
  const columns = new Map<number, ViewState[]>();
  for (const state of states) {
    const column = columns.get(state.layer);
    if (column === undefined) columns.set(state.layer, [state]);
    else column.push(state);
  }
  const before = new Map<number, number[]>();
  for (const { from, to } of edges) before.set(to, [...(before.get(to) ?? []), from]);
  const tallest = Math.max(1, ...[...columns.values()].map(({ length }) => length));
  const spots = new Map<number, Spot>();
  const layers = [...columns.keys()].sort((a, b) => a - b);
  for (const [index, layer] of layers.entries()) {
    const column = columns.get(layer) ?? [];
    const weight = ({ id }: ViewState): number => {
      const ys = (before.get(id) ?? []).flatMap((from) => spots.get(from)?.y ?? []);
      return ys.length === 0 ? 0 : ys.reduce((sum, y) => sum + y, 0) / ys.length;
    };
    column.sort((a, b) => weight(a) - weight(b) || b.runs - a.runs || a.id - b.id);
    const top = MARGIN + ((tallest - column.length) * (BOX.height + GAP.y)) / 2;
    for (const [row, state] of column.entries()) {
      spots.set(state.id, { state, x: MARGIN + index * (BOX.width + GAP.x), y: top + row * (BOX.height + GAP.y) });
    }
  }
  const width = 2 * MARGIN + layers.length * (BOX.width + GAP.x) - GAP.x;
  return { spots, width: Math.max(width, 520), height: 2 * MARGIN + tallest * (BOX.height + GAP.y) + LEGEND };
}

function stateSvg({ state, x, y }: Spot, runs: number): string {
  const { label, kind, convergent } = state;
  const ring = convergent
    ? `<rect class="ring" x="${x - 4}" y="${y - 4}" width="${BOX.width + 8}" height="${BOX.height + 8}" rx="11"/>`
    : "";
  const shown = label.length <= MOST_LABEL ? label : `${label.slice(0, MOST_LABEL - 1)}…`;
  return `<g class="${kind}"><title>${inXml(`${label}: ${kind}${convergent ? ", convergent" : ""}, ${state.runs} of ${runs} runs`)}</title>${ring}<rect class="box" x="${x}" y="${y}" width="${BOX.width}" height="${BOX.height}" rx="8"/><text x="${x + BOX.width / 2}" y="${y + 19}" text-anchor="middle">${inXml(shown)}</text><text class="few" x="${x + BOX.width / 2}" y="${y + 35}" text-anchor="middle">${state.runs}/${runs}</text></g>`;
}

function edgeSvg(
  { from, to, runs }: GraphView["edges"][number],
  spots: ReadonlyMap<number, Spot>,
  all: number,
): string {
  const [a, b] = [spots.get(from), spots.get(to)];
  if (a === undefined || b === undefined) return "";
  const [x1, y1, x2, y2] = [a.x + BOX.width, a.y + BOX.height / 2, b.x, b.y + BOX.height / 2];
  const isBack = b.x <= a.x;
  const bend = isBack ? 60 : Math.max(30, (x2 - x1) / 2);
  // An edge that passes columns by, or goes back, swings below them, so that no box hides it.
  const passesBy = isBack || b.state.layer - a.state.layer > 1;
  const lift = passesBy ? 1.5 * (BOX.height + GAP.y) : 0;
  const width = (1 + (2 * runs) / Math.max(1, all)).toFixed(1);
  const path = `M${x1} ${y1} C${x1 + bend} ${y1 + lift} ${x2 - bend} ${y2 + lift} ${x2 - 2} ${y2}`;
  return `<path class="edge${isBack ? " back" : ""}" d="${path}" stroke-width="${width}" marker-end="url(#tip)"/><text class="few" x="${(x1 + x2) / 2}" y="${(y1 + y2) / 2 + lift * 0.75 - 4}" text-anchor="middle">${runs}</text>`;
}

function legend(height: number, { loopy }: GraphView): string {
  const words = `filled: every path passes it (essential) · dashed: some runs do without (optional) · double border: paths meet · number: runs${loopy ? " · the runs go in loops" : ""}`;
  return `<text class="few" x="${MARGIN}" y="${height - 16}">${inXml(words)}</text>`;
}

function inXml(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cs}]/gu, " ");
  return plain.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
