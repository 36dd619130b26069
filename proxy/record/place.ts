/** Where something stands in a text file. Lines and columns count from 1; `length` is in characters. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly length?: number;
}

/** Writes a place as editors and terminals know it: `markers/checkout.yaml:12:5`. */
export function formatPlace(place: Place): string {
  return `${place.file}:${place.line}:${place.column}`;
}

/**
 * Shows the line a place is on, with carets under it. Long lines are cut around the place so that the carets stay in
 * view. Returns "" when the text has no such line.
 */
export function excerpt(text: string, place: Place): string {
  const line = lineOf(text, place.line);
  if (line === undefined) return "";
  const start = Math.max(0, place.column - 1 - MAX_LEAD);
  const shown = printable(line.slice(start, start + MAX_SHOWN));
  const caretAt = place.column - 1 - start;
  const caretCount = Math.max(1, Math.min(place.length ?? 1, shown.length - caretAt));
  const gutter = String(place.line);
  return `  ${gutter} | ${shown}\n  ${" ".repeat(gutter.length)} | ${" ".repeat(caretAt)}${"^".repeat(caretCount)}`;
}

const MAX_LEAD = 80;
const MAX_SHOWN = 140;

function lineOf(text: string, line: number): string | undefined {
  return text.split(/\r\n|\n/, line)[line - 1];
}

/** One visible character per character, so that carets line up and a terminal is never steered by a file's text. */
function printable(text: string): string {
  return text.replace(/\t/g, " ").replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "\u00b7");
}
