import { METHODS } from "node:http";
import type { Socket } from "node:net";
import { headEnd } from "./head-end.ts";

/** Largest head taken on plain HTTP by Node's parser, whose own limit of 16 KB loses requests that go through without a proxy. */
export const MAX_NODE_HEAD_BYTES = 1 << 20;
/** Largest head that is waited for at all. */
export const MAX_HEAD_BYTES = 8 << 20;

const KNOWN: ReadonlySet<string> = new Set(METHODS);
const ABSOLUTE = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]{1,64}) (?:https?|wss?):\/\//i;
/** What could still become the beginning of that. */
const UNDECIDED = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{0,64}(?: [a-z:/]{0,8})?$/i;
const START_BYTES = 80;
const OLD_END_BYTES = " HTTP/1.0\r\n".length;

/** What a connection begins with, or goes on with behind an odd request. */
export type Beginning =
  | { readonly kind: "ordinary" }
  /** A request in absolute form that Node's server refuses or changes; its head is in one piece. */
  | { readonly kind: "odd"; readonly headBytes: number };

/** For Node to read, or to refuse. */
export const ORDINARY: Beginning = { kind: "ordinary" };

/**
 * Tells requests in absolute form that Node's parser would answer with 400 or 431 although a server may take them: methods
 * it does not know, folded header lines (RFC 9112 section 5.2), heads over 1 MB; and those of HTTP/1.0, whose answers Node's
 * server would write as HTTP/1.1. Undefined while the head is not whole.
 */
export function judgeBeginning(bytes: Buffer): Beginning | undefined {
  const start = bytes.toString("latin1", 0, START_BYTES);
  const method = ABSOLUTE.exec(start)?.[1];
  if (method === undefined) return UNDECIDED.test(start) ? undefined : ORDINARY;
  const end = headEnd(bytes, 0, 0);
  if (end === undefined) return bytes.length > MAX_HEAD_BYTES ? ORDINARY : undefined;
  const isOdd = !KNOWN.has(method) || end > MAX_NODE_HEAD_BYTES || isOld(bytes) || hasFold(bytes.subarray(0, end));
  return isOdd ? { kind: "odd", headBytes: end } : ORDINARY;
}

/** Of HTTP/1.0, by the end of its first line. */
function isOld(head: Buffer): boolean {
  const end = head.indexOf("\n") + 1;
  return / HTTP\/1\.0\r?\n$/.test(head.toString("latin1", Math.max(0, end - OLD_END_BYTES), end));
}

function hasFold(head: Buffer): boolean {
  return head.includes("\n ") || head.includes("\n\t");
}

/** What a look at a connection's first bytes came to; "gone" when it ended before that. */
export type Look<Judged> = { readonly judged: Judged } | "gone";

/** Looks at bytes as they come until `judge` has an opinion, puts them all back, and calls `then`. */
export function lookAt<Judged>(
  socket: Socket,
  judge: (bytes: Buffer) => Judged | undefined,
  then: (look: Look<Judged>) => void,
): void {
  let seen: Buffer = Buffer.alloc(0);
  const ignore = (): void => undefined;
  const settle = (look: Look<Judged>): void => {
    socket.off("readable", read).off("end", read).off("close", read).off("error", ignore);
    if (look !== "gone") socket.unshift(seen);
    then(look);
  };
  const read = (): void => {
    const chunk = socket.read() as Buffer | null;
    if (chunk !== null) {
      seen = seen.length === 0 ? chunk : Buffer.concat([seen, chunk]);
      const judged = judge(seen);
      if (judged !== undefined) settle({ judged });
    } else if (socket.readableEnded || !socket.readable) settle("gone");
  };
  socket.on("readable", read).once("end", read).once("close", read).on("error", ignore);
  if (socket.readableEnded || socket.destroyed) settle("gone"); // which nothing tells any more
}
