import { waymarkError } from "../record/fault.ts";

/** Host patterns that say what is opened and read; the options of the command line by the same names. */
export interface ScopeOptions {
  /** Hosts that the decoders know. */
  readonly known: readonly string[];
  readonly hosts: readonly string[];
  readonly all: boolean;
  readonly bypass: readonly string[];
}

/**
 * What is done with a host: `intercept` opens and records it; `tunnel` leaves its TLS alone, and of its plain HTTP only
 * what turns out to be telemetry is recorded; `bypass` never records anything of it.
 */
export type Decision = "intercept" | "tunnel" | "bypass";

interface HostPattern {
  readonly host: RegExp;
  readonly port?: number;
}

const PORT = /^(?<host>\[[^\]]+\]|[^:]*):(?<port>\d{1,5})$/;
/** Hexadecimal groups and a dotted tail; two colons, or one and a star that may stand for others. */
const COLONS = /^(?=.*:.*[:*]|.*\*.*:)[0-9a-f:.*]+$/;

/**
 * Decides about hosts. `bypass` wins over everything; then `all`, the user's `hosts`, and the hosts known to carry
 * telemetry. A pattern is a host name or an address, with `*` for any run of characters, and may name a port:
 * `*.example.com`, `127.0.0.1:8443`, `[::1]:8443`. Throws `WM_USAGE_HOST` for a pattern that is none or that no host can
 * ever match.
 */
export function createScope({ known, hosts, all, bypass }: ScopeOptions) {
  const never = bypass.map(parsePattern);
  const wanted = [...hosts, ...known].map(parsePattern);
  return ({ host, port }: { readonly host: string; readonly port: number }): Decision => {
    const name = plainHost(host);
    if (never.some((pattern) => covers(pattern, name, port))) return "bypass";
    return all || wanted.some((pattern) => covers(pattern, name, port)) ? "intercept" : "tunnel";
  };
}

/**
 * True for hosts that a capture promises to show: those the decoders know and those the user named, but for a bare `*`,
 * which like `all` names nobody.
 */
export function createNamedHosts({ known, hosts }: Pick<ScopeOptions, "known" | "hosts">) {
  const named = [...hosts, ...known].filter((text) => !/^\*+$/.test(text.trim())).map(parsePattern);
  return ({ host, port }: { readonly host: string; readonly port: number }): boolean =>
    named.some((pattern) => covers(pattern, plainHost(host), port));
}

function covers(pattern: HostPattern, host: string, port: number): boolean {
  return (pattern.port === undefined || pattern.port === port) && pattern.host.test(host);
}

function parsePattern(text: string): HostPattern {
  const groups = PORT.exec(text.trim())?.groups;
  const host = plainHost(groups?.["host"] ?? text.trim());
  const port = groups?.["port"];
  if (!isHost(host) || (port !== undefined && (Number(port) < 1 || Number(port) > 65_535))) {
    throw waymarkError("WM_USAGE_HOST", `"${text}" is no host pattern`);
  }
  const source = host
    .split(/\*+/)
    .map((part) => part.replace(/[.+?^${}()|\\]/g, "\\$&"))
    .join(".*");
  return { host: new RegExp(`^${source}$`), ...(port === undefined ? {} : { port: Number(port) }) };
}

/** Names are asked for in ASCII (`xn--...`), so that a letter beyond it never matches; a colon stands only in an IPv6 address. */
function isHost(host: string): boolean {
  if (host.includes(":")) return COLONS.test(host);
  return /^[\x21-\x7e]+$/.test(host) && !/[/@?#"'\\,;=[\]]/.test(host);
}

/** Lower case, without the brackets of an IPv6 literal and without the dot that ends a full name. */
function plainHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "");
}
