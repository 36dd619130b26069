import type { Socket } from "node:net";
import { type ClientHello, readClientHello } from "./hello.ts";

/** What a tunnel begins with. */
export type Opening =
  | { readonly kind: "tls"; readonly hello: ClientHello }
  | { readonly kind: "http" }
  | { readonly kind: "opaque" };

const TOKEN = /^[A-Za-z!#$%&'*+\-.^_`|~0-9]{1,24}$/;
const TOKEN_BYTES = 25;

/**
 * Looks at the client's first bytes and puts them back. Resolves to "opaque" when the server speaks first, when the
 * client ends without a byte, and for anything that is neither TLS nor HTTP/1 (the HTTP/2 preface too).
 */
export function sniff(client: Socket, upstream: Socket | undefined): Promise<Opening> {
  return new Promise((resolve) => {
    let seen: Buffer = Buffer.alloc(0);
    const settle = (opening: Opening): void => {
      client.off("readable", look);
      client.off("close", giveUp);
      upstream?.off("readable", giveUp);
      upstream?.off("close", giveUp);
      if (seen.length > 0) client.unshift(seen);
      resolve(opening);
    };
    const giveUp = (): void => settle({ kind: "opaque" });
    const look = (): void => {
      for (let chunk = readChunk(client); chunk !== null; chunk = readChunk(client)) {
        seen = seen.length === 0 ? chunk : Buffer.concat([seen, chunk]);
      }
      const opening = openingOf(seen);
      if (opening !== undefined) settle(opening);
      else if (client.readableEnded || client.destroyed || isAtEnd(client)) giveUp();
    };
    client.on("readable", look);
    client.once("close", giveUp);
    upstream?.once("readable", giveUp);
    upstream?.once("close", giveUp);
  });
}

/** What the bytes show so far; undefined while they could still be several things. */
export function openingOf(bytes: Buffer): Opening | undefined {
  if (bytes.length === 0) return undefined;
  if (bytes[0] === 0x16) {
    const hello = readClientHello(bytes);
    if (hello === "more") return undefined;
    return hello === "other" ? { kind: "opaque" } : { kind: "tls", hello };
  }
  const start = bytes.toString("latin1", 0, TOKEN_BYTES);
  const space = start.indexOf(" ");
  if (!TOKEN.test(space < 0 ? start : start.slice(0, space)) || start.startsWith("PRI ")) return { kind: "opaque" };
  return space < 0 ? undefined : { kind: "http" };
}

function readChunk(socket: Socket): Buffer | null {
  return socket.read() as Buffer | null;
}

/** The peer has ended its sending and nothing is left to read; `end` itself has not been emitted yet. */
function isAtEnd(socket: Socket): boolean {
  return socket.readableLength === 0 && !socket.readable;
}
