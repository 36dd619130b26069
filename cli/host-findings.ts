import { asText, plural } from "../grader/report/text.ts";
import type { HostSeen } from "./host-watch.ts";

/** What became of a host, the worst that can be said of it. */
export type Finding = "telemetry" | "undecoded" | "read" | "pinned" | "unreachable" | "bypassed" | "unseen" | "unread";

export interface HostFinding extends HostSeen {
  readonly finding: Finding;
  /** What was found, in words. */
  readonly says: string;
  /** What to do about it, when there is something. */
  readonly fix?: string;
  /** The variable or switch by which its client came to trust waymark, as far as it says what it is. */
  readonly trustedBy?: string;
}

const GENERIC: ReadonlySet<string> = new Set(["json", "ndjson", "raw"]);
/** Names that hosts of telemetry have. */
const TELEMETRY_NAME =
  /(?:^|[.-])(?:telemetry|analytics|metrics?|events?|collect(?:or)?|ingest|track(?:ing|er)?|rum|stats?|beacon|logs?|otlp|otel)(?:[.-]|\d|$)/i;

/** What there is to say of each host; telemetry first, then what went wrong. */
export function findingsOf(hosts: readonly HostSeen[]): HostFinding[] {
  const order: readonly Finding[] = [
    "telemetry",
    "pinned",
    "unreachable",
    "undecoded",
    "unread",
    "unseen",
    "bypassed",
    "read",
  ];
  return hosts
    .map((host) => ({ ...host, ...describe(host), ...trustOf(host) }))
    .sort((a, b) => order.indexOf(a.finding) - order.indexOf(b.finding) || b.events - a.events);
}

/** Whether a host looks like one of telemetry: by what was read of it, else by its name. */
export function looksLikeTelemetry({ finding, host, formats }: HostFinding): boolean {
  if (finding === "telemetry") return formats.some((format) => !GENERIC.has(format)) || TELEMETRY_NAME.test(host);
  return finding !== "read" && TELEMETRY_NAME.test(host);
}

function describe(host: HostSeen): Pick<HostFinding, "finding" | "says" | "fix"> {
  const { requests, isDecrypted, events, undecoded, formats, bypassed, unseen, clientErrors, upstreamErrors, problem } =
    host;
  const how = isDecrypted ? "decrypted" : "read";
  const read = plural(requests, "request");
  if (events > 0) {
    const rest = undecoded > 0 ? `, ${undecoded} undecoded` : "";
    return {
      finding: "telemetry",
      says: `${how}: ${read}, ${plural(events, "event")} (${formats.map(asText).join(", ")})${rest}`,
    };
  }
  if (undecoded > 0) {
    const fix = "describe its format in formats/NAME.yaml (docs/formats.md), or write a decoder";
    return {
      finding: "undecoded",
      says: `${how}: ${read}, ${plural(undecoded, "body", "bodies")} that no decoder knows`,
      fix,
    };
  }
  if (requests > 0) return { finding: "read", says: `${how}: ${read}, no telemetry in them` };
  if (bypassed > 0)
    return { finding: "bypassed", says: "bypassed, as asked for", fix: "leave out --bypass to read it" };
  if (unseen > 0) return { finding: "unseen", says: "passed on unseen", fix: `--host ${asText(host.host)}` };
  if (clientErrors > 0)
    return {
      finding: "pinned",
      says: `refused by the app: ${asText(problem ?? "it ended the handshake")}`,
      fix: PINNED,
    };
  if (upstreamErrors > 0) return { finding: "unreachable", says: `cannot be reached: ${asText(problem ?? "")}` };
  return { finding: "unread", says: "opened, but no HTTP/1 request came", fix: UNREAD };
}

const PINNED =
  "it does not trust waymark's authority: docs/trust.md has the variable for its runtime; an app that pins its certificates needs its own switch, or --bypass";
const UNREAD = "unused, or HTTP/2 or a protocol of its own inside; see docs/trust.md";

const TRUST: readonly (readonly [agent: RegExp, by: string])[] = [
  [/^curl\//i, "CURL_CA_BUNDLE"],
  [/python-requests/i, "REQUESTS_CA_BUNDLE"],
  [/^python|aiohttp|httpx/i, "SSL_CERT_FILE"],
  [/^java|okhttp/i, "JAVA_TOOL_OPTIONS"],
  [/^go-http-client/i, "SSL_CERT_FILE"],
  [/electron|chrome|mozilla/i, "--ignore-certificate-errors-spki-list"],
  [/node|undici|axios|got|javascript|js/i, "NODE_EXTRA_CA_CERTS"],
];

function trustOf({ agents, isDecrypted }: HostSeen): { trustedBy?: string } {
  if (!isDecrypted) return {};
  const [, by] = TRUST.find(([agent]) => agents.some((one) => agent.test(one))) ?? [];
  return by === undefined ? {} : { trustedBy: by };
}
