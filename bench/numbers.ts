/** The middle value; of an even count the mean of the two middle ones. NaN for an empty list. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** The value below which `share` of the values lie (nearest rank); NaN for an empty list. */
export function quantile(values: ArrayLike<number>, share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Median of the quotients of two series taken in turn: only values of the same round are compared. */
export function pairedRatio(of: readonly number[], against: readonly number[]): number {
  return median(of.map((value, round) => value / (against[round] ?? Number.NaN)));
}

/** Bytes of a size such as `100MB` or `1GB` (powers of ten); throws an Error for anything else. */
export function parseSize(text: string): number {
  const [, digits, unit = ""] = /^([0-9]+(?:\.[0-9]+)?)(KB|MB|GB)$/i.exec(text) ?? [];
  const factor = { KB: 1e3, MB: 1e6, GB: 1e9 }[unit.toUpperCase()];
  if (digits === undefined || factor === undefined) throw new Error(`a size is written like 100MB, got "${text}"`);
  return Number(digits) * factor;
}

/** A table in plain text; the first column to the left, the others to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? "").length)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  ");
  return `${[line(head), widths.map((width) => "-".repeat(width)).join("  "), ...rows.map(line)].join("\n")}\n`;
}

/** A number for a table, or a dash when it is not known. */
export function shown(value: number | undefined, digits: number): string {
  return value === undefined || Number.isNaN(value) ? "–" : value.toFixed(digits);
}
