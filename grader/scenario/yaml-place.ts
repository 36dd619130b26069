import { isCollection, isMap, isScalar, type Node } from "yaml";
import type { Place } from "../../proxy/record/place.ts";

type Span = readonly [from: number, to: number];

/** Places by offset. The parser's own LineCounter misses lines behind some syntax errors. */
export function placesIn(text: string, file: string): (from: number, to: number) => Place {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (from, to) => {
    const offset = Math.max(0, Math.min(from, text.length));
    const line = lastAtMost(starts, offset);
    const start = starts[line] ?? 0;
    const end = Math.min(to, (starts[line + 1] ?? text.length + 1) - 1);
    return { file, line: line + 1, column: offset - start + 1, length: Math.max(1, end - offset) };
  };
}

/** Index of the last number that is not above the limit, in an ascending list that begins with 0. */
function lastAtMost(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) <= limit) low = middle;
    else high = middle;
  }
  return low;
}

/**
 * Where a reader can see what is wrong. Of a quote or bracket that is never closed the parser names the end of the text,
 * where there is nothing to see: the place is then where it was opened, else the last character there is.
 */
export function visiblePlace(pos: Span, contents: Node | null, text: string): Span {
  const end = text.trimEnd().length;
  if (pos[0] < end || end === 0) return pos;
  const opened = contents === null ? undefined : openAtEnd(contents, end);
  return opened === undefined ? [end - 1, end] : [opened, opened + 1];
}

/** The start of the innermost quoted text or bracket that reaches to the end of the text without its closing sign. */
function openAtEnd(node: Node, end: number): number | undefined {
  const [start, valueEnd] = node.range ?? [0, 0];
  if (valueEnd < end) return undefined;
  const last = lastChild(node);
  const inner = last === undefined ? undefined : openAtEnd(last, end);
  if (inner !== undefined) return inner;
  const isQuoted = isScalar(node) && (node.type === "QUOTE_DOUBLE" || node.type === "QUOTE_SINGLE");
  return isQuoted || (isCollection(node) && node.flow === true) ? start : undefined;
}

function lastChild(node: Node): Node | undefined {
  if (!isCollection(node)) return undefined;
  const last: unknown = isMap(node) ? (node.items.at(-1)?.value ?? node.items.at(-1)?.key) : node.items.at(-1);
  return isScalar(last) || isCollection(last) ? last : undefined;
}
