import type { Socket } from "node:net";
import { type ClientHello, readClientHello } from "./hello.ts";
import { FRAME, PREFACE } from "./http2-frames.ts";

/** What a tunnel begins with. */
export type Opening =
  | { readonly kind: "tls"; readonly hello: ClientHello }
  | { readonly kind: "http" }
  | { readonly kind: "http2" }
  /** `hasBytes`: somebody has said something. */
  | { readonly kind: "opaque"; readonly hasBytes: boolean };

const OPAQUE: Opening = { kind: "opaque", hasBytes: true };
const TOKEN = /^[A-Za-z!#$%&'*+\-.^_`|~0-9]{1,24}$/;
const TOKEN_BYTES = 25;
const PREFACE_TEXT = PREFACE.toString("latin1");
/**
 * Bytes that could still be several things are held back no longer than this: a client that has said all it has to say
 * until it hears from the server would wait for ever. Whole heads come in one write of the client's; what parts them is a
 * lost segment, sent again after some 200 to 300 ms, so that a late second half is mostly still looked at.
 */
const UNDECIDED_MS = 500;

/**
 * Looks at the client's first bytes and puts them back. Resolves to "opaque" when the server speaks first, when the
 * client ends without a byte, and for anything that is neither TLS nor HTTP. With an upstream that could answer them,
 * bytes that leave it open are settled after half a second.
 */
export function sniff(client: Socket, upstream: Socket | undefined): Promise<Opening> {
  return new Promise((resolve) => {
    let seen: Buffer = Buffer.alloc(0);
    let timer: NodeJS.Timeout | undefined;
    let isSettled = false;
    const settle = (opening: Opening): void => {
      isSettled = true;
      clearTimeout(timer);
      client.off("readable", look);
      client.off("end", giveUp).off("close", giveUp);
      upstream?.off("readable", hear);
      upstream?.off("close", giveUp);
      if (seen.length > 0) client.unshift(seen);
      resolve(opening);
    };
    const giveUp = (): void => settle({ kind: "opaque", hasBytes: seen.length > 0 });
    const hear = (): void => {
      const first = upstream && readChunk(upstream);
      if (upstream === undefined || first === null || first === undefined) return;
      upstream.unshift(first);
      if (isServerPreface(first)) upstream.off("readable", hear);
      else settle({ kind: "opaque", hasBytes: true });
    };
    const look = (): void => {
      for (let chunk = readChunk(client); chunk !== null; chunk = readChunk(client)) {
        seen = seen.length === 0 ? chunk : Buffer.concat([seen, chunk]);
      }
      const opening = openingOf(seen);
      if (opening !== undefined) settle(opening);
      else if (client.readableEnded || client.destroyed || isAtEnd(client)) giveUp();
      else if (seen.length > 0 && upstream !== undefined) timer ??= setTimeout(waitNoMore, UNDECIDED_MS);
    };
    // Should this process have been held up itself, what has arrived meanwhile is read first.
    const waitNoMore = (): void =>
      void setImmediate(() => {
        if (!isSettled) look();
        if (!isSettled) settle(likeliestOf(seen));
      });
    client.on("readable", look);
    client.once("end", giveUp); // without a byte: `readable` comes before that can be seen
    client.once("close", giveUp);
    upstream?.on("readable", hear);
    upstream?.once("close", giveUp);
    look(); // a client that has ended already tells nobody any more
  });
}

/** What the bytes show so far; undefined while they could still be several things. */
export function openingOf(bytes: Buffer): Opening | undefined {
  if (bytes.length === 0) return undefined;
  if (bytes[0] === 0x16) {
    const hello = readClientHello(bytes);
    if (hello === "more") return undefined;
    return hello === "other" ? OPAQUE : { kind: "tls", hello };
  }
  const start = bytes.toString("latin1", 0, TOKEN_BYTES);
  if (start.startsWith("PRI ")) return openingOfPreface(start);
  const space = start.indexOf(" ");
  if (!TOKEN.test(space < 0 ? start : start.slice(0, space))) return OPAQUE;
  return space < 0 ? undefined : { kind: "http" };
}

/** What bytes are taken for that could still be several things: the reader of HTTP says itself when they are none. */
function likeliestOf(bytes: Buffer): Opening {
  return bytes[0] === 0x16 ? OPAQUE : { kind: "http" };
}

/** HTTP/2 with prior knowledge (RFC 9113 section 3.3). */
function openingOfPreface(start: string): Opening | undefined {
  if (start.startsWith(PREFACE_TEXT)) return { kind: "http2" };
  return PREFACE_TEXT.startsWith(start) ? undefined : OPAQUE;
}

/** The SETTINGS frame that a server of HTTP/2 may send before it hears anything (RFC 9113 section 3.4). */
function isServerPreface(bytes: Buffer): boolean {
  return bytes.length >= 9 && bytes[0] === 0 && bytes[3] === FRAME.settings && bytes.readUIntBE(4, 5) === 0;
}

function readChunk(socket: Socket): Buffer | null {
  return socket.read() as Buffer | null;
}

/** The peer has ended its sending and nothing is left to read; `end` itself has not been emitted yet. */
function isAtEnd(socket: Socket): boolean {
  return socket.readableLength === 0 && !socket.readable;
}
