/** A row of a CSV text with the line it begins on, from 1. */
export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

export interface CsvText {
  readonly rows: readonly CsvRow[];
  /** What is not CSV, and on which line. */
  readonly problems: readonly { readonly line: number; readonly why: string }[];
}

/**
 * Reads CSV by RFC 4180: cells in double quotes may hold separators, line breaks and doubled quotes; lines end with LF or
 * CRLF; empty lines are passed over. A quote that is never closed, and text behind a closing quote, are problems.
 */
export function readCsv(text: string, separator: "," | "\t" | ";" = ","): CsvText {
  const rows: CsvRow[] = [];
  const problems: { line: number; why: string }[] = [];
  let at = 0;
  let line = 1;
  while (at < text.length) {
    const first = line;
    const cells: string[] = [];
    for (;;) {
      const cell = readCell(text, at, separator);
      if (cell.why !== undefined) problems.push({ line, why: cell.why });
      cells.push(cell.value);
      line += breaksIn(text, at, cell.end);
      at = cell.end;
      if (text[at] !== separator) break;
      at++;
    }
    if (text[at] === "\r") at++;
    if (text[at] === "\n") at++;
    line++;
    if (cells.length > 1 || cells[0] !== "") rows.push({ line: first, cells });
  }
  return { rows, problems };
}

interface Cell {
  readonly value: string;
  /** Where the separator, the line break or the end of the text stands. */
  readonly end: number;
  readonly why?: string;
}

function readCell(text: string, start: number, separator: string): Cell {
  if (text[start] !== '"') {
    const end = endOfPlain(text, start, separator);
    return { value: text.slice(start, end), end };
  }
  let close = text.indexOf('"', start + 1);
  while (close !== -1 && text[close + 1] === '"') close = text.indexOf('"', close + 2);
  if (close === -1) {
    return { value: text.slice(start + 1), end: text.length, why: "a quoted cell is never closed" };
  }
  const value = text.slice(start + 1, close).replaceAll('""', '"');
  const end = endOfPlain(text, close + 1, separator);
  return end === close + 1 ? { value, end } : { value, end, why: "text stands behind a closing quote" };
}

function endOfPlain(text: string, start: number, separator: string): number {
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === separator || character === "\n" || (character === "\r" && text[at + 1] === "\n")) return at;
  }
  return text.length;
}

function breaksIn(text: string, start: number, end: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", start); at !== -1 && at < end; at = text.indexOf("\n", at + 1)) count++;
  return count;
}
