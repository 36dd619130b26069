import { once } from "node:events";
import { Agent, type RequestOptions } from "node:https";
import { connect as connectPlain, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";

/** Where TCP connections go, and how to introduce oneself there. */
export interface Gateway {
  readonly host: string;
  readonly port: number;
  /** An HTTP proxy is asked with CONNECT (RFC 9110 section 9.3.6); a direct gateway is the server itself. */
  readonly kind: "proxy" | "direct";
  /** Value of Proxy-Authorization, when the proxy's URL carries credentials. */
  readonly authorization?: string;
}

/** Reads a proxy URL such as `http://user:pass@127.0.0.1:8899`; throws an Error when it is none that can be used. */
export function proxyGateway(url: string): Gateway {
  const parsed = new URL(url);
  if (parsed.protocol !== "http:") throw new Error(`only http:// proxies are supported, got "${parsed.protocol}//"`);
  const credentials = `${decodeURIComponent(parsed.username)}:${decodeURIComponent(parsed.password)}`;
  return {
    host: parsed.hostname.replace(/^\[|\]$/g, ""),
    port: Number(parsed.port || 80),
    kind: "proxy",
    ...(credentials === ":" ? {} : { authorization: `Basic ${Buffer.from(credentials).toString("base64")}` }),
  };
}

/**
 * An HTTPS agent that keeps one connection alive and opens it through the gateway. The certificate is checked against
 * the host name asked for, with the roots Node trusts (NODE_EXTRA_CA_CERTS adds the proxy's).
 */
export class TunnelAgent extends Agent {
  readonly #gateway: Gateway;

  constructor(gateway: Gateway) {
    super({ keepAlive: true, maxSockets: 1 });
    this.#gateway = gateway;
  }

  override createConnection(
    options: RequestOptions,
    done?: (error: Error | null, stream: Duplex) => void,
  ): Duplex | null | undefined {
    const { host, port, kind } = this.#gateway;
    // Straight to the host itself is what every agent does, and whatever guides those guides this one too.
    if (kind === "direct" && host === options.host && port === Number(options.port)) {
      return super.createConnection(options, done);
    }
    const socket = connectPlain(this.#gateway.port, this.#gateway.host);
    openTunnel(socket, this.#gateway, `${options.host}:${options.port ?? 443}`).then(
      () => done?.(null, connectTls({ socket, servername: options.servername ?? options.host ?? "" })),
      (error: Error) => {
        socket.destroy();
        done?.(error, socket);
      },
    );
    return undefined;
  }
}

/** Waits for the connection and, at a proxy, for its consent. Rejects on a refusal and on every socket error. */
async function openTunnel(socket: Socket, gateway: Gateway, authority: string): Promise<void> {
  socket.setNoDelay(true);
  await once(socket, "connect");
  if (gateway.kind === "direct") return;
  const who = gateway.authorization === undefined ? "" : `Proxy-Authorization: ${gateway.authorization}\r\n`;
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${who}\r\n`);
  const statusLine = await readAnswer(socket);
  if (!/^HTTP\/1\.[01] 2\d\d\b/.test(statusLine)) throw new Error(`the proxy answered "${statusLine}"`);
}

const MAX_ANSWER_BYTES = 16_384;

/** The status line of the proxy's answer to CONNECT; bytes after its blank line belong to the tunnel and are put back. */
async function readAnswer(socket: Socket): Promise<string> {
  let answer = Buffer.alloc(0);
  while (answer.length < MAX_ANSWER_BYTES) {
    await once(socket, "readable");
    const chunk: Buffer | null = socket.read();
    if (chunk === null && !socket.readable) break;
    answer = Buffer.concat([answer, chunk ?? Buffer.alloc(0)]);
    const end = answer.indexOf("\r\n\r\n");
    if (end < 0) continue;
    if (answer.length > end + 4) socket.unshift(answer.subarray(end + 4));
    return answer.toString("latin1").split("\r\n", 1)[0] ?? "";
  }
  throw new Error("the proxy did not answer CONNECT");
}
