import { asText, plural, showDuration } from "../grader/report/text.ts";
import { sayEnd } from "../grader/trials/performance.ts";
import type { LaunchEnd } from "../grader/trials/trial.ts";
import type { HostCounts } from "../proxy/intercept/interceptor.ts";
import type { SessionCounts } from "../proxy/session.ts";

/** What is known of a run that sent no telemetry. */
export interface SilentRun {
  readonly end: LaunchEnd;
  readonly ranMs: number;
  readonly counts: SessionCounts;
  /** The last of what the command wrote to stderr. */
  readonly lastWords: readonly string[];
  readonly command: readonly string[];
}

const MOST_NAMED = 3;

/** Why no telemetry came, a line each: what the proxy saw, what is likely wrong, what to try. The first line says what. */
export function explainSilence(run: SilentRun): string {
  const { counts, end, ranMs, lastWords } = run;
  const likely = likelyCause(run);
  return [
    "no telemetry reached the proxy",
    `the command ran ${showDuration(ranMs)} and ${sayEnd(end)}; the proxy saw ${sightings(counts)}`,
    ...troubles(counts.hosts),
    ...lastWords.map((line) => `stderr: ${asText(line)}`),
    `likely: ${likely.cause}`,
    `try:    ${likely.remedy}`,
  ].join("\n");
}

function sightings({ intercept, exchanges, undecoded, hosts }: SessionCounts): string {
  const parts = [plural(intercept.connections, "connection")];
  const unseen = named(hosts, "unseen");
  if (intercept.connections > 0) parts.push(`${plural(exchanges, "request")} read`);
  if (undecoded > 0) parts.push(`${plural(undecoded, "body", "bodies")} that no format knows`);
  if (unseen.length > 0) parts.push(`passed on unseen: ${list(unseen)}`);
  if (intercept.clientErrors > 0) parts.push(plural(intercept.clientErrors, "client error"));
  if (intercept.upstreamErrors > 0) parts.push(plural(intercept.upstreamErrors, "upstream error"));
  return parts.join(", ");
}

/** What went wrong with each host, as the proxy was told. */
function troubles(hosts: readonly HostCounts[]): readonly string[] {
  return hosts
    .flatMap(({ endpoint, problem }) => (problem === undefined ? [] : [`${asText(endpoint)}: ${asText(problem)}`]))
    .slice(0, MOST_NAMED);
}

interface Likely {
  readonly cause: string;
  readonly remedy: string;
}

function likelyCause({ counts, end, command }: SilentRun): Likely {
  const { intercept, exchanges, hosts, undecoded } = counts;
  if (end.kind === "exited" && end.code !== 0 && intercept.connections === 0) {
    return {
      cause: "the command failed before it sent anything",
      remedy: `run it by itself: ${asText(command.join(" "))}`,
    };
  }
  if (intercept.connections === 0) {
    return {
      cause: "the app sent nothing, or goes round the proxy that its environment names (HTTP_PROXY, HTTPS_PROXY)",
      remedy: `waymark doctor --app -- ${asText(command.join(" "))}`,
    };
  }
  if (hosts.some(({ clientErrors }) => clientErrors > 0) && exchanges === 0) {
    return {
      cause: "the app does not trust waymark's CA, or pins its certificates",
      remedy: "docs/trust.md says how each runtime is told; a pinned host can only be passed by with --bypass",
    };
  }
  if (undecoded > 0) {
    return {
      cause: "the bodies are in a format waymark does not know",
      remedy: "docs/formats.md lists those it knows",
    };
  }
  const [unseen] = named(hosts, "unseen");
  if (unseen !== undefined) {
    return {
      cause: "the telemetry goes to a host that is not known to carry any, and was passed on unseen",
      remedy: `--host ${unseen.replace(/:[0-9]+$/, "")}, or --all to open every host`,
    };
  }
  if (intercept.upstreamErrors > 0) {
    return {
      cause: "the telemetry host could not be reached",
      remedy: "--sink answers the app itself; --map sends a host elsewhere",
    };
  }
  return {
    cause: "the app sent nothing that is telemetry",
    remedy: "--all opens every host; --host NAME a certain one",
  };
}

function named(hosts: readonly HostCounts[], kind: "unseen" | "passed"): readonly string[] {
  const seen = hosts.filter((host) => host[kind] > 0).sort((a, b) => b[kind] - a[kind]);
  return seen.map(({ endpoint }) => asText(endpoint));
}

function list(names: readonly string[]): string {
  const more = names.length > MOST_NAMED ? `, ${plural(names.length - MOST_NAMED, "host")} more` : "";
  return `${names.slice(0, MOST_NAMED).join(", ")}${more}`;
}
