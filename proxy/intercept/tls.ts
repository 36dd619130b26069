import { isIP, type Socket } from "node:net";
import { checkServerIdentity, connect, createSecureContext, type SecureContext, TLSSocket } from "node:tls";
import { isCertificateText, trustedRoots } from "../../certs/bundle.ts";
import { fault, WaymarkError } from "../record/fault.ts";
import type { InterceptorOptions } from "./interceptor.ts";

/** Of 36 KB each. */
const MAX_CONTEXTS = 128;
const MAX_SESSIONS = 512;
const MAX_SESSIONS_EACH = 64;

/**
 * Bytes that wait in a stream before its other side is held back. A read of the system's gives up to four records of
 * 16 KB; with Node's own mark of one record each would wait for a turn of the loop (`npm run bench -- proxy --only upload`).
 */
const STREAM = { highWaterMark: 131_072 }; // which TLSSocket hands on to its stream; Node's types do not know it

/** The certificates trusted upstream, built once: system and Node's roots, NODE_EXTRA_CA_CERTS, and `upstreamCa`. */
export function upstreamTrust(upstreamCa: string | undefined): SecureContext {
  if (upstreamCa !== undefined && !isCertificateText(upstreamCa)) {
    throw new WaymarkError(fault("WM_PROXY_UPSTREAM_CA", "the upstream CA is no PEM certificate"));
  }
  return createSecureContext({ ca: [...trustedRoots(), ...(upstreamCa === undefined ? [] : [upstreamCa])] });
}

/**
 * Server contexts by name. Making one costs milliseconds, using one again costs nothing and lets clients resume
 * sessions; the 128 used last are kept.
 */
export function createContexts(
  certificateFor: InterceptorOptions["certificateFor"],
): (name: string) => Promise<SecureContext> {
  const cache = new Map<string, Promise<SecureContext>>();
  return (name) => {
    const known = cache.get(name);
    if (known !== undefined) {
      cache.delete(name);
      cache.set(name, known); // now the youngest
      return known;
    }
    // Without `ca` Node would load its roots into each of them, for milliseconds; clients are asked for no certificate.
    const made = certificateFor(name).then(({ key, cert }) => createSecureContext({ key, cert, ca: [] }));
    cache.set(name, made);
    made.catch(() => cache.delete(name)); // the caller sees the rejection
    const eldest = cache.keys().next();
    if (cache.size > MAX_CONTEXTS && eldest.done !== true) cache.delete(eldest.value);
    return made;
  };
}

/**
 * Sessions to take up again with servers, by name, port and protocols; each is used once, as TLS 1.3 wants it (RFC 8446
 * appendix C.4). An app that opens many connections at once has one for each: a handshake without certificates costs the
 * proxy a quarter less.
 */
export class TlsSessions {
  readonly #sessions = new Map<string, Buffer[]>();
  #count = 0;

  take(key: string): Buffer | undefined {
    const known = this.#sessions.get(key);
    const youngest = known?.pop();
    if (youngest !== undefined) this.#count -= 1;
    if (known?.length === 0) this.#sessions.delete(key);
    return youngest;
  }

  put(key: string, session: Buffer): void {
    const known = this.#sessions.get(key) ?? [];
    this.#sessions.delete(key);
    this.#sessions.set(key, known); // now the one used last
    known.push(session);
    this.#count += 1;
    if (known.length > MAX_SESSIONS_EACH) this.#drop(key);
    else if (this.#count > MAX_SESSIONS) this.#drop(this.#sessions.keys().next().value ?? key);
  }

  /** The eldest of them. */
  #drop(key: string): void {
    const known = this.#sessions.get(key);
    known?.shift();
    this.#count -= 1;
    if (known?.length === 0) this.#sessions.delete(key);
  }
}

export interface UpstreamTls {
  readonly engine: {
    readonly trust: SecureContext;
    readonly sessions: TlsSessions;
    readonly options: Pick<InterceptorOptions, "insecureUpstream">;
  };
  /** The name the certificate must be for. */
  readonly name: string;
  readonly port: number;
  /** Server name to send, when the client sent one. */
  readonly serverName: string | undefined;
  readonly protocols: readonly string[];
  /** Gets the stream while the handshake is still to come. */
  readonly onStream: (stream: TLSSocket) => void;
}

/** Shakes hands with the upstream over a connected socket. Rejects on a certificate that is not trusted or not for `name`. */
export function upstreamHandshake(
  socket: Socket,
  { engine, name, port, serverName, protocols, onStream }: UpstreamTls,
): Promise<TLSSocket> {
  const { trust, sessions, options } = engine;
  const key = [name, port, serverName ?? "", ...protocols].join(" ");
  const session = sessions.take(key);
  return new Promise((resolve, reject) => {
    const secured = connect({
      socket,
      secureContext: trust,
      ...STREAM,
      rejectUnauthorized: options.insecureUpstream !== true,
      servername: serverName === undefined || isIP(serverName) !== 0 ? "" : serverName,
      checkServerIdentity: (_, certificate) => checkServerIdentity(name, certificate),
      ...(protocols.length === 0 ? {} : { ALPNProtocols: [...protocols] }),
      ...(session === undefined ? {} : { session }),
    });
    // A server that takes up a session does not ask again, so that nobody would know of its wish.
    secured.on("session", (made: Buffer) => {
      if (!asksForCertificate(secured)) sessions.put(key, made);
    });
    onStream(secured);
    const fail = (error: Error): void => {
      secured.destroy();
      reject(error);
    };
    const close = (): void => fail(new Error("the connection was closed during the TLS handshake"));
    secured.once("error", fail);
    secured.once("close", close);
    secured.once("secureConnect", () => {
      secured.off("error", fail);
      secured.off("close", close);
      secured.on("error", () => undefined); // one that comes before somebody else listens must not end the process
      resolve(secured);
    });
  });
}

/**
 * True when the server has asked for a certificate in its handshake, whether it insists or not: only then has it told
 * which signatures it takes (RFC 8446 section 4.3.2, RFC 5246 section 7.4.4). Never when a session was taken up again.
 */
export function asksForCertificate(secured: TLSSocket): boolean {
  try {
    return secured.getSharedSigalgs().length > 0;
  } catch {
    return false; // a runtime that cannot tell
  }
}

/** The client's side of an intercepted connection, answered with our certificate and the upstream's own protocol. */
export function answerClient(socket: Socket, secureContext: SecureContext, protocol: string | undefined): TLSSocket {
  return new TLSSocket(socket, {
    isServer: true,
    secureContext,
    ...STREAM,
    ...(protocol === undefined ? {} : { ALPNProtocols: [protocol] }),
  });
}
