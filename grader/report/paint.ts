import { styleText } from "node:util";
import type { Verdict } from "../verdict.ts";

/** Colours for one output; without colour every function returns its text unchanged. */
export interface Paint {
  good(text: string): string;
  bad(text: string): string;
  unsure(text: string): string;
  dim(text: string): string;
  strong(text: string): string;
}

type Style = Parameters<typeof styleText>[0];

export function paintFor(colour: boolean): Paint {
  const style = (format: Style) => (text: string) =>
    colour && text !== "" ? styleText(format, text, { validateStream: false }) : text;
  return { good: style("green"), bad: style("red"), unsure: style("yellow"), dim: style("dim"), strong: style("bold") };
}

/** The sign of a verdict; a sign and a word always go together, never colour alone. */
export function signOf(verdict: Verdict, paint: Paint): string {
  const signs = { pass: paint.good("✓"), fail: paint.bad("✗"), inconclusive: paint.unsure("?"), error: paint.bad("!") };
  return signs[verdict];
}
