export type Cause = "product" | "agent" | "unknown" | "none";

/** One run: what was planted into it, and what was said of it. */
export interface BlameRow {
  readonly run: string;
  readonly kind: string;
  readonly planted: Cause;
  readonly said: Cause;
  readonly evidence: readonly string[];
}

/** How well one class of runs was told from the others. */
export interface ClassFigures {
  readonly cause: Cause;
  readonly runs: number;
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
}

const CAUSES: readonly Cause[] = ["product", "agent", "unknown", "none"];

/** Precision, recall and F1 of each class, one against all others. */
export function figuresOf(rows: readonly BlameRow[]): readonly ClassFigures[] {
  return CAUSES.map((cause) => {
    const own = rows.filter(({ planted }) => planted === cause);
    const said = rows.filter((row) => row.said === cause);
    const hits = own.filter((row) => row.said === cause).length;
    return {
      cause,
      runs: own.length,
      precision: hits / said.length,
      recall: hits / own.length,
      f1: (2 * hits) / (own.length + said.length),
    };
  });
}

/** The confusion table, each class's figures, and which kinds of fault were told how, for people. */
export function blameTable(rows: readonly BlameRow[], learnedFrom: number): string {
  const said = (own: readonly BlameRow[]): readonly string[] =>
    CAUSES.map((cause) => String(own.filter((row) => row.said === cause).length));
  const planted = CAUSES.map((cause) => [cause, ...said(rows.filter((row) => row.planted === cause))]);
  const kinds = [...new Set(rows.map(({ kind }) => kind))].map((kind) => {
    const own = rows.filter((row) => row.kind === kind);
    return [kind, own[0]?.planted ?? "", ...said(own)];
  });
  const figures = figuresOf(rows).map(({ cause, runs, precision, recall, f1 }) => [
    cause,
    String(runs),
    ...[precision, recall, f1].map((value) => (Number.isNaN(value) ? "-" : value.toFixed(3))),
  ]);
  return [
    `scenario learned from ${learnedFrom} good runs; planted (rows) and said (columns)`,
    table(["planted", ...CAUSES], planted),
    table(["class", "runs", "precision", "recall", "F1"], figures),
    table(["fault", "planted", ...CAUSES], kinds),
  ].join("\n");
}

function table(head: readonly string[], body: readonly (readonly string[])[]): string {
  const lines = [head, ...body];
  const widths = head.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return `${lines.map(line).join("\n")}\n`;
}
