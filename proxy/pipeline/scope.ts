import { waymarkError } from "../record/fault.ts";

/** Host patterns that say what is opened and read; the options of the command line by the same names. */
export interface ScopeOptions {
  /** Hosts that the decoders know. */
  readonly known: readonly string[];
  readonly hosts: readonly string[];
  readonly all: boolean;
  readonly bypass: readonly string[];
}

interface HostPattern {
  readonly host: RegExp;
  readonly port?: number;
}

const PORT = /^(?<host>\[[^\]]+\]|[^:]*):(?<port>\d{1,5})$/;

/**
 * Makes the decision between reading a host's traffic and passing it on unseen. `bypass` wins over everything; then
 * `all`, the user's `hosts`, and the hosts known to carry telemetry. A pattern is a host name or an address, with `*` for
 * any run of characters, and may name a port: `*.example.com`, `127.0.0.1:8443`, `[::1]:8443`. Throws `WM_USAGE_HOST` for
 * a pattern that is none.
 */
export function createScope({ known, hosts, all, bypass }: ScopeOptions) {
  const never = bypass.map(parsePattern);
  const wanted = [...hosts, ...known].map(parsePattern);
  return ({ host, port }: { readonly host: string; readonly port: number }): "intercept" | "tunnel" => {
    const name = plainHost(host);
    if (never.some((pattern) => covers(pattern, name, port))) return "tunnel";
    return all || wanted.some((pattern) => covers(pattern, name, port)) ? "intercept" : "tunnel";
  };
}

function covers(pattern: HostPattern, host: string, port: number): boolean {
  return (pattern.port === undefined || pattern.port === port) && pattern.host.test(host);
}

function parsePattern(text: string): HostPattern {
  const groups = PORT.exec(text.trim())?.groups;
  const host = plainHost(groups?.["host"] ?? text.trim());
  const port = groups?.["port"];
  const isHost = /^[^\s/@?#"'\\]+$/.test(host) && !/[[\]]/.test(host);
  if (!isHost || (port !== undefined && (Number(port) < 1 || Number(port) > 65_535))) {
    throw waymarkError("WM_USAGE_HOST", `"${text}" is no host pattern`);
  }
  const source = host
    .split(/\*+/)
    .map((part) => part.replace(/[.+?^${}()|\\]/g, "\\$&"))
    .join(".*");
  return { host: new RegExp(`^${source}$`), ...(port === undefined ? {} : { port: Number(port) }) };
}

/** Lower case, without the brackets of an IPv6 literal and without the dot that ends a full name. */
function plainHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "");
}
