import { asText, plural, showCount, showDuration } from "../../text.ts";
import type { PageScenario, RunVerdict } from "../data.ts";

export { plural, showCount, showDuration };

/** Text from anywhere, on one line: what cannot be seen, or would turn the line around, is shown as an escape. */
export function seen(text: string): string {
  return asText(text);
}

/** As `seen`, for text with line breaks of its own. */
export function seenLines(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .split("\n")
    .map((line) => line.split("\t").map(asText).join("\t"))
    .join("\n");
}

export const SIGNS: Readonly<Record<RunVerdict | "undecided", string>> = {
  pass: "✓",
  fail: "✗",
  inconclusive: "?",
  error: "!",
  interrupted: "–",
  undecided: "?",
};

export const VERDICT_WORDS: Readonly<Record<RunVerdict | "undecided", string>> = {
  pass: "passed",
  fail: "failed",
  inconclusive: "inconclusive",
  error: "error",
  interrupted: "interrupted",
  undecided: "undecided",
};

export function percent(share: number | null | undefined): string {
  return share === null || share === undefined ? "–" : `${Math.round(share * 100)}%`;
}

/** `38–96%`. */
export function range(interval: { readonly low: number; readonly high: number } | null): string {
  return interval === null ? "" : `${Math.round(interval.low * 100)}–${Math.round(interval.high * 100)}%`;
}

/** `$0.041`; cheap runs keep digits that tell them apart. */
export function cost(usd: number | undefined | null): string {
  if (usd === undefined || usd === null) return "–";
  return `$${usd >= 0.01 || usd === 0 ? usd.toFixed(3) : usd.toPrecision(2)}`;
}

/** `+1.3 s`, `−0.2 s`, `0 ms`. */
export function signed(ms: number): string {
  return ms < 0 ? `−${showDuration(-ms)}` : `+${showDuration(ms)}`;
}

/** A place in a run: `1:07.3`, or `0.397 s` where the whole run takes less than a minute. */
export function clock(ms: number, span = Number.POSITIVE_INFINITY): string {
  const sign = ms < 0 ? "−" : "";
  const all = Math.abs(ms) / 1000;
  if (span < 60_000) return `${sign}${all.toFixed(span < 10_000 ? 3 : 2)} s`;
  const minutes = Math.floor(all / 60);
  return `${sign}${minutes}:${(all - minutes * 60).toFixed(1).padStart(4, "0")}`;
}

/** `2026-11-30 05:46 UTC`. */
export function day(iso: string): string {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(iso) ? `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC` : seen(iso);
}

/** A scenario's name, with the version of its markers where several versions graded the runs. */
export function scenarioName(scenario: PageScenario | undefined, all: readonly PageScenario[]): string {
  if (scenario === undefined) return "–";
  const isAlone = all.filter(({ name }) => name === scenario.name).length === 1;
  return isAlone ? seen(scenario.name) : `${seen(scenario.name)} (markers ${scenario.sha256.slice(0, 7)})`;
}
