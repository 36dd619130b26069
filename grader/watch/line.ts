import type { Paint } from "../report/paint.ts";
import { cutTo, widthOf } from "./width.ts";

/** A stretch of one line in one colour; its text is safe for a terminal. */
export interface Span {
  readonly text: string;
  readonly style?: keyof Paint;
}

/** One line of the screen, before it is cut to the screen's width and painted. */
export type Line = readonly Span[];

/** A line of plain and painted stretches: `line("a ", good("b"))`. */
export function line(...parts: readonly (string | Span)[]): Line {
  return parts.map((part) => (typeof part === "string" ? { text: part } : part)).filter(({ text }) => text !== "");
}

/** A stretch in a style. */
export function styled(style: keyof Paint, text: string): Span {
  return { style, text };
}

/** Columns the line takes. */
export function lineWidth(spans: Line): number {
  return spans.reduce((sum, { text }) => sum + widthOf(text), 0);
}

/** The line cut to so many columns. */
export function fitLine(spans: Line, columns: number): Line {
  const fitted: Span[] = [];
  let left = columns;
  for (const [at, span] of spans.entries()) {
    const width = widthOf(span.text);
    const isLast = at === spans.length - 1;
    if (width < left || (isLast && width <= left)) {
      fitted.push(span);
      left -= width;
      continue;
    }
    fitted.push({ ...span, text: cutTo(isLast || width > left ? span.text : `${span.text} `, left) });
    break;
  }
  return fitted;
}

/** The line as it is written. */
export function paintLine(spans: Line, paint: Paint): string {
  return spans.map(({ text, style }) => (style === undefined ? text : paint[style](text))).join("");
}
