import type { MarkerResult, ScenarioResult } from "../verdict.ts";
import { asText, plural, showDuration, showValue } from "./text.ts";

/**
 * What an agent needs to go on from a result that did not pass, as lines of markdown: what failed, what came instead,
 * clause by clause, the line of the scenario to look at, and the next command. Everything from telemetry is quoted.
 */
export function agentText(result: ScenarioResult): readonly string[] {
  const required = result.found.length + result.not_found.length;
  const missing = result.markers.find(({ status }) => status === "missing" || status === "undecided");
  return [
    `## ${result.verdict}: ${code(result.scenario)} (${result.found.length} of ${plural(required, "marker")}, run ${asText(result.run)})`,
    "",
    `${sentence(asText(result.reason))}`,
    ...(result.error === undefined ? [] : [`Error ${result.error.code}: ${asText(result.error.message)}`]),
    ...(missing === undefined || result.events === 0 ? [] : missingLines(result, missing)),
    ...result.rules
      .filter(({ verdict, severity }) => verdict !== "pass" && severity === "error")
      .flatMap(({ name, violations, violation_count: count }) => [
        `- rule ${code(name)} is not kept (${plural(count, "violation")})`,
        ...violations.slice(0, 2).map(({ file, line, reason }) => `  - ${asText(file)}:${line} ${asText(reason)}`),
      ]),
  ];
}

function missingLines(result: ScenarioResult, missing: MarkerResult): readonly string[] {
  const { source, nearest } = missing;
  const before = result.markers.filter(({ status }) => status === "found").at(-1);
  const waited =
    before?.file === undefined
      ? []
      : [
          `- last marker found: ${code(before.name)} at ${asText(before.file)}:${before.line}${before.after_ms === undefined ? "" : `, ${showDuration(before.after_ms)} after the one before`}`,
        ];
  return [
    `- missing: ${code(missing.name)}${missing.progress === undefined ? "" : ` (${asText(missing.progress)})`}, written at ${asText(source.file)}:${source.line}:${source.column}`,
    ...waited,
    ...(nearest === undefined ? ["- no event came near it"] : nearestLines(nearest)),
  ];
}

function nearestLines({ file, line, passed, failed }: NonNullable<MarkerResult["nearest"]>): readonly string[] {
  return [
    `- nearest event: ${asText(file)}:${line}`,
    ...failed.map(({ path, want, got, hint }) => {
      const cause = hint === undefined ? "" : ` (${asText(hint)})`;
      return `  - ${code(path)} was ${code(showValue(got))}, wanted ${code(typeof want === "string" ? want : showValue(want))}${cause}`;
    }),
    ...(passed.length === 0 ? [] : [`  - as wanted: ${passed.map(({ path }) => code(path)).join(", ")}`]),
  ];
}

/** Text in a code span that it cannot leave, whatever backticks it holds. */
export function code(text: string): string {
  const shown = asText(text);
  const longest = Math.max(0, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  const gap = shown.startsWith("`") || shown.endsWith("`") ? " " : "";
  return `${fence}${gap}${shown}${gap}${fence}`;
}

function sentence(text: string): string {
  return text.replaceAll(/[<>[\]]/g, (character) => `\\${character}`);
}
