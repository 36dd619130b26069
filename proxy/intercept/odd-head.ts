import { headerOf } from "../record/exchange.ts";
import { type AbsoluteTarget, formatEndpoint, parseAbsoluteTarget } from "./authority.ts";
import { hasToken, parseRequestHead, type RequestHead } from "./http1-head.ts";
import type { Endpoint } from "./interceptor.ts";
import { FOR_PROXY } from "./raw-headers.ts";
import type { ViaProxy } from "./via.ts";

/** A request in absolute form as far as it has to be understood to pass it on. */
export interface OddHead extends RequestHead {
  readonly bytes: Buffer;
  readonly address: AbsoluteTarget;
  /** Of HTTP/1.0. */
  readonly isOld: boolean;
  /** The client wants no further request on its connection. */
  readonly isLast: boolean;
}

/**
 * Reads a whole head; undefined when it is none, or when two parsers could disagree on where its body ends, as on one in chunks
 * in HTTP/1.0, which knows none (RFC 9112 section 6.1).
 */
export function readOddHead(bytes: Buffer): OddHead | undefined {
  const text = bytes.toString("latin1").replace(/\r?\n\r?\n$/, "");
  const parsed = parseRequestHead(text);
  if (!parsed.ok) return undefined;
  const head = parsed.value;
  const address = parseAbsoluteTarget(head.target);
  if (address === undefined || head.framing.kind === "refused") return undefined;
  const isOld = / HTTP\/1\.0$/.test(/^[^\r\n]*/.exec(text)?.[0] ?? "");
  if (isOld && headerOf(head.headers, "transfer-encoding") !== undefined) return undefined;
  const isLast =
    hasToken(head.headers, "connection", "close") || (isOld && !hasToken(head.headers, "connection", "keep-alive"));
  return { ...head, bytes, address, isOld, isLast };
}

/**
 * The head as the server gets it: its lines byte for byte, but the target, and without what is meant for the proxy (with the
 * folds of such lines); with a Host when there is none (RFC 9112 section 3.2.2). For the upstream proxy, which wants its own
 * credentials, in absolute form.
 */
export function oddHeadFor(head: OddHead, endpoint: Endpoint, via: ViaProxy | undefined): Buffer {
  const { scheme, path } = head.address;
  if (scheme !== "http" || via?.takes(endpoint) !== true) return rewriteHead(head, path);
  const proof = via.authorization === undefined ? [] : [`Proxy-Authorization: ${via.authorization}`];
  return rewriteHead(head, `http://${formatEndpoint(endpoint)}${path}`, proof);
}

function rewriteHead({ bytes, headers, address }: OddHead, target: string, more: readonly string[] = []): Buffer {
  const [line = "", ...lines] = bytes.toString("latin1").split(/(?<=\n)/);
  const kept: string[] = [];
  let isKept = true;
  for (const one of lines) {
    if (!/^[ \t]/.test(one)) isKept = !FOR_PROXY.has(one.slice(0, one.indexOf(":")).toLowerCase());
    if (isKept) kept.push(one);
  }
  const empty = kept.pop() ?? "\r\n";
  const first = line.replace(/ [^ ]+ /, () => ` ${target} `);
  const hasHost = headers.some(([name]) => name.toLowerCase() === "host");
  const host = hasHost ? [] : [`Host: ${address.authority}\r\n`];
  return Buffer.from([first, ...host, ...kept, ...more.map((one) => `${one}\r\n`), empty].join(""), "latin1");
}
