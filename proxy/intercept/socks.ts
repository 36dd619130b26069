import { isIPv6, type Socket } from "node:net";
import type { Endpoint } from "./interceptor.ts";
import type { TunnelReply } from "./tunnel-reply.ts";

/** First byte of every SOCKS5 connection (RFC 1928); no HTTP begins with it. */
export const SOCKS5 = 5;
const NO_AUTHENTICATION = 0;
const USER_AND_PASSWORD = 2;
const NONE_ACCEPTABLE = 0xff;
const CONNECT = 1;
const ADDRESS_BYTES = { ipv4: 4, ipv6: 16 } as const;
const REPLY = { succeeded: 0, forbidden: 2, unreachable: 4, noSuchCommand: 7, noSuchAddress: 8 } as const;
/** Longest wait for a client's side of the greeting. */
const GREETING_MS = 30_000;

/** Answers to a SOCKS5 request (RFC 1928 section 6). */
export const SOCKS_REPLY: TunnelReply = {
  accept: (client) => void client.write(reply(REPLY.succeeded)),
  refuse: (client, why) => end(client, why === "unreachable" ? REPLY.unreachable : REPLY.forbidden),
};

/** What a client asked for, and the user name it gave. */
export interface SocksRequest {
  readonly endpoint: Endpoint;
  readonly user?: string;
}

/**
 * Takes a client through SOCKS5 up to its request: no authentication, or user and password (RFC 1929), of which any is
 * taken, since what keeps others out is the address that is listened on. A client that offers both is asked for its name
 * only when `wantsUser`. Undefined when the client goes away, or asks for what is not to be had, which it is then told.
 */
export async function greetSocks(client: Socket, wantsUser: boolean): Promise<SocksRequest | undefined> {
  const limit = setTimeout(() => client.destroy(), GREETING_MS);
  const bytes = new SocketBytes(client);
  try {
    const request = await readRequest(client, bytes, wantsUser);
    bytes.giveBack();
    return request;
  } catch (error) {
    if (!(error instanceof GoneError)) throw error;
    client.destroy();
    return undefined;
  } finally {
    clearTimeout(limit);
  }
}

async function readRequest(client: Socket, bytes: SocketBytes, wantsUser: boolean): Promise<SocksRequest | undefined> {
  const [, count = 0] = await bytes.take(2);
  const methods = await bytes.take(count);
  const isNamed = methods.includes(USER_AND_PASSWORD) && (wantsUser || !methods.includes(NO_AUTHENTICATION));
  const method = isNamed ? USER_AND_PASSWORD : NO_AUTHENTICATION;
  if (!methods.includes(method)) {
    client.end(Buffer.from([SOCKS5, NONE_ACCEPTABLE]));
    return undefined;
  }
  client.write(Buffer.from([SOCKS5, method]));
  const named = isNamed ? { user: await takeCredentials(client, bytes) } : {};
  const [version, command, , kind] = await bytes.take(4);
  const host = version === SOCKS5 ? await readHost(bytes, kind) : undefined;
  if (host === undefined) return end(client, REPLY.noSuchAddress);
  const port = (await bytes.take(2)).readUInt16BE(0);
  if (command !== CONNECT) return end(client, REPLY.noSuchCommand);
  if (port === 0 || !isHost(host)) return end(client, REPLY.noSuchAddress);
  return { endpoint: { host, port }, ...named };
}

/** Gives the user name; the password is of no interest. */
async function takeCredentials(client: Socket, bytes: SocketBytes): Promise<string> {
  const [version = 1, userLength = 0] = await bytes.take(2);
  const user = (await bytes.take(userLength)).toString();
  const [passwordLength = 0] = await bytes.take(1);
  await bytes.take(passwordLength);
  client.write(Buffer.from([version, 0]));
  return user;
}

async function readHost(bytes: SocketBytes, kind: number | undefined): Promise<string | undefined> {
  if (kind === 1) return (await bytes.take(ADDRESS_BYTES.ipv4)).join(".");
  if (kind === 4) {
    const groups = [...(await bytes.take(ADDRESS_BYTES.ipv6)).toString("hex").matchAll(/.{4}/g)];
    return new URL(`http://[${groups.join(":")}]`).hostname.slice(1, -1); // in its shortest form
  }
  if (kind !== 3) return undefined;
  const [length = 0] = await bytes.take(1);
  return (await bytes.take(length)).toString("latin1").toLowerCase();
}

function isHost(host: string): boolean {
  return isIPv6(host) || (/^[\x21-\x7e\x80-\xff]+$/.test(host) && !/[:@[\]/\\?#]/.test(host));
}

function reply(code: number): Buffer {
  return Buffer.from([SOCKS5, code, 0, 1, 0, 0, 0, 0, 0, 0]);
}

function end(client: Socket, code: number): undefined {
  if (client.destroyed) return;
  client.end(reply(code));
  client.resume();
  client.setTimeout(2000, () => client.destroy());
}

/** The client went away before it had said what it wants. */
class GoneError extends Error {
  override readonly name = "GoneError";
}

/** Reads a number of bytes at a time off a socket, and puts back what nobody asked for. */
class SocketBytes {
  readonly #socket: Socket;
  #held: Buffer = Buffer.alloc(0);

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  async take(count: number): Promise<Buffer> {
    while (this.#held.length < count) this.#held = Buffer.concat([this.#held, await this.#next()]);
    const taken = this.#held.subarray(0, count);
    this.#held = this.#held.subarray(count);
    return taken;
  }

  giveBack(): void {
    if (this.#held.length > 0) this.#socket.unshift(this.#held);
  }

  #next(): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const settle = (act: () => void): void => {
        this.#socket.off("readable", look).off("end", gone).off("close", gone);
        act();
      };
      const gone = (): void => settle(() => reject(new GoneError("the client is gone")));
      const look = (): void => {
        const chunk = this.#socket.read() as Buffer | null;
        if (chunk !== null) settle(() => resolve(chunk));
      };
      this.#socket.on("readable", look).once("end", gone).once("close", gone);
      look();
      if (this.#socket.destroyed || this.#socket.readableEnded) gone();
    });
  }
}
