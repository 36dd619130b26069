/** Rows under a header, each column as wide as its widest cell; what is empty throughout is left out. */
export function tableLines(header: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const shown = header.map((_, column) => rows.length === 0 || rows.some((row) => (row[column] ?? "") !== ""));
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells
      .flatMap((cell, column) => (shown[column] === true ? [cell.padEnd(widths[column] ?? 0)] : []))
      .join("  ")
      .trimEnd();
  return [header, ...rows].map(line);
}
