import type { Paint } from "../grader/report/paint.ts";
import { asText } from "../grader/report/text.ts";
import type { Finding, HostFinding } from "./host-findings.ts";

const SIGNS: Readonly<Record<Finding, "good" | "unsure" | "bad">> = {
  telemetry: "good",
  read: "good",
  bypassed: "unsure",
  unseen: "unsure",
  undecoded: "unsure",
  unread: "unsure",
  unreachable: "bad",
  pinned: "bad",
};
const MARKS = { good: "✓", unsure: "▲", bad: "✗" } as const;

/** The sign of a check; always beside words. */
export function checkSign(level: keyof typeof MARKS, paint: Paint): string {
  return paint[level](MARKS[level]);
}

/** One line per host, and what to do below those that need it. */
export function hostTable(findings: readonly HostFinding[], paint: Paint): string {
  const width = Math.min(60, Math.max(...findings.map(({ endpoint }) => endpoint.length), 0));
  return findings
    .map(({ endpoint, finding, says, fix, trustedBy }) => {
      const by = trustedBy === undefined ? "" : paint.dim(`  trusted through ${trustedBy}`);
      const advice = fix === undefined || finding === "bypassed" ? "" : `    ${paint.dim("→")} ${fix}\n`;
      return `${checkSign(SIGNS[finding], paint)} ${asText(endpoint).padEnd(width)}  ${says}${by}\n${advice}`;
    })
    .join("");
}
