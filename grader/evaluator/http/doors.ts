import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";
import { waymarkError } from "../../../proxy/record/fault.ts";
import { Refusal } from "../refusal.ts";

export interface DoorOptions {
  readonly listen: string;
  readonly token?: string;
  readonly root?: string;
  /** Names a client may use in `Host`, beside localhost and addresses. */
  readonly hosts: readonly string[];
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");
LOOPBACK.addSubnet("::ffff:127.0.0.0", 104, "ipv6");

/** True for an address, or the name `localhost`, that only this machine can reach. */
export function isLoopbackAddress(host: string): boolean {
  const version = isIP(host);
  return version === 0 ? host.toLowerCase() === "localhost" : LOOPBACK.check(host, version === 4 ? "ipv4" : "ipv6");
}

/** Off loopback, whoever asks has to know a token and may only see a root. Throws `WM_SERVE_OPEN`. */
export function refuseOpenDoor({ listen, token, root }: DoorOptions): void {
  if (isLoopbackAddress(listen)) return;
  const missing = [...(token === undefined ? ["--token"] : []), ...(root === undefined ? ["--root"] : [])];
  if (missing.length === 0) return;
  throw waymarkError(
    "WM_SERVE_OPEN",
    `--listen ${listen} can be reached from other machines; that needs ${missing.join(" and ")}`,
  );
}

/**
 * Who may come in: a `Host` that is an address or localhost (a name could be another's, rebound to us: DNS rebinding), an
 * `Origin` that is our own, and the token where there is one. Throws 403 and 401. `open`: the token is not asked.
 */
export function createDoor({ token, hosts }: DoorOptions): (request: IncomingMessage, open: boolean) => void {
  const names = new Set(["localhost", ...hosts.map((name) => name.toLowerCase())]);
  const wanted = token === undefined ? undefined : digest(token);
  return ({ headers, rawHeaders, method, url = "" }, open) => {
    const host = isNamedOnce(rawHeaders) ? hostOf(headers.host) : undefined;
    if (host === undefined || !(isIP(host) !== 0 || names.has(host))) {
      throw new Refusal(403, "WM_SERVE_FORBIDDEN", "this server is not asked under that Host");
    }
    const { origin } = headers;
    if (origin !== undefined && origin.toLowerCase() !== `http://${headers.host?.toLowerCase()}`) {
      throw new Refusal(403, "WM_SERVE_FORBIDDEN", "pages of other origins may not ask this server");
    }
    if (wanted === undefined || open) return;
    if (method === "GET" && token !== undefined && isPageReader({ cookie: headers.cookie, url }, token)) return;
    const given = /^Bearer\s+(\S+)\s*$/i.exec(headers.authorization ?? "")?.[1];
    if (given === undefined || !timingSafeEqual(digest(given), wanted)) {
      throw new Refusal(401, "WM_SERVE_TOKEN", "this server asks for its token");
    }
  };
}

const COOKIE = "waymark-page";

/**
 * The cookie by which a browser that opened the page with the token reads on. It holds no token, is sent by pages of
 * this server only, and opens nothing but what is read.
 */
export function pageCookie(token: string): string {
  return `${COOKIE}=${pageKey(token)}; Path=/; HttpOnly; SameSite=Strict`;
}

function pageKey(token: string): string {
  return createHash("sha256").update(`waymark page ${token}`).digest("hex");
}

function isPageReader(
  { cookie = "", url }: { readonly cookie: string | undefined; readonly url: string },
  token: string,
): boolean {
  const given = new RegExp(`(?:^|;\\s*)${COOKIE}=([0-9a-f]{64})(?:;|$)`).exec(cookie)?.[1];
  if (given !== undefined && timingSafeEqual(digest(given), digest(pageKey(token)))) return true;
  if (!url.startsWith("/?")) return false;
  const asked = new URLSearchParams(url.slice(2)).get("token");
  return asked !== null && timingSafeEqual(digest(asked), digest(token));
}

/** Two `Host` headers are two truths (RFC 9112 section 3.2). */
function isNamedOnce(rawHeaders: readonly string[]): boolean {
  return rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === "host").length === 1;
}

/** The host of a `Host` header, without port and brackets, in lower case; undefined when it is none. */
function hostOf(header: string | undefined): string | undefined {
  const groups = /^(?:\[(?<address>[0-9a-fA-F:.]+)\]|(?<name>[^:/\\@\s]+))(?::[0-9]{1,5})?$/.exec(header ?? "")?.groups;
  return (groups?.["address"] ?? groups?.["name"])?.toLowerCase().replace(/\.$/, "");
}

/** Equal length whatever was given, so that comparing takes the same time. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** What every answer carries: nothing is cached, framed, sniffed, or read by pages of others. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "Cache-Control": "no-store",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
};
