import { isIPv6 } from "node:net";
import type { Endpoint } from "./interceptor.ts";

export interface AbsoluteTarget extends Endpoint {
  readonly scheme: "http" | "https";
  /** Host and port as written, without user information. */
  readonly authority: string;
  /** Path with query, as sent; `/` when there is none. */
  readonly path: string;
}

const DEFAULT_PORT = { http: 80, https: 443, ws: 80, wss: 443 } as const;
const ABSOLUTE = /^(?<scheme>https?|wss?):\/\/(?<authority>[^/?#]*)(?<path>[^#]*)/i;
const BRACKETED = /^\[(?<address>[0-9a-fA-F:.]+)(?:%25?[^\]]+)?\](?::(?<port>[0-9]{1,5}))?$/;
const NAMED = /^(?<name>[^\s:@[\]/\\?#]+)(?::(?<port>[0-9]{0,5}))?$/;

/**
 * Reads the target of a CONNECT (RFC 9110 section 9.3.6): `host:port`, an IPv6 literal in brackets. Some clients put
 * `https://` in front (grpc-js under global-agent); that is taken too. Undefined for anything else, an address of
 * IPv6 without brackets among it, since its last group cannot be told from a port.
 */
export function parseConnectTarget(target: string): Endpoint | undefined {
  const schemed = ABSOLUTE.exec(target)?.groups;
  if (schemed === undefined) return parseAuthority(target, undefined);
  const path = schemed["path"] ?? "";
  if (path !== "" && path !== "/") return undefined;
  return parseAuthority(schemed["authority"] ?? "", defaultPort(schemed["scheme"]));
}

/** Reads an absolute-form request target (RFC 9112 section 3.2.2); `ws` and `wss` count as `http` and `https`. */
export function parseAbsoluteTarget(url: string): AbsoluteTarget | undefined {
  const groups = ABSOLUTE.exec(url)?.groups;
  if (groups === undefined) return undefined;
  const full = groups["authority"] ?? "";
  const authority = full.slice(full.lastIndexOf("@") + 1);
  const endpoint = parseAuthority(authority, defaultPort(groups["scheme"]));
  if (endpoint === undefined) return undefined;
  const path = groups["path"] ?? "";
  const scheme = /^(https|wss)$/i.test(groups["scheme"] ?? "") ? "https" : "http";
  return { ...endpoint, scheme, authority, path: path.startsWith("/") ? path : `/${path}` };
}

/** `host:port` for people and map keys; IPv6 in brackets. */
export function formatEndpoint({ host, port }: Endpoint): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

function parseAuthority(authority: string, portElse: number | undefined): Endpoint | undefined {
  const groups = (BRACKETED.exec(authority) ?? NAMED.exec(authority))?.groups;
  if (groups === undefined) return undefined;
  const host = (groups["address"] ?? groups["name"] ?? "").toLowerCase();
  if (groups["address"] !== undefined && !isIPv6(host)) return undefined;
  const digits = groups["port"] ?? "";
  const port = digits === "" ? portElse : Number(digits);
  return port === undefined || port < 1 || port > 65535 ? undefined : { host, port };
}

function defaultPort(scheme: string | undefined): number {
  return DEFAULT_PORT[(scheme ?? "http").toLowerCase() as keyof typeof DEFAULT_PORT];
}
