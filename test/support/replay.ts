import { once } from "node:events";
import { connect } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";

/** One TLS connection to `host` through the proxy, on which raw HTTP/1.1 requests are sent one after the other. */
export interface RawConnection {
  /** Sends the bytes as they are and resolves with the answer's status and body. */
  exchange(request: Buffer): Promise<{ readonly status: number; readonly body: Buffer }>;
  end(): void;
}

/** Opens a tunnel through the proxy and shakes hands inside it, trusting `ca` (PEM). */
export async function connectThroughProxy(proxyPort: number, host: string, ca: string): Promise<RawConnection> {
  const socket = connect(proxyPort, "127.0.0.1");
  await once(socket, "connect");
  socket.write(`CONNECT ${host}:443 HTTP/1.1\r\nHost: ${host}:443\r\n\r\n`);
  const answer = await readAnswer(socket, false);
  if (answer.status !== 200) throw new Error(`the proxy answered CONNECT with ${answer.status}`);
  const tls = connectTls({ socket, servername: host, ca });
  await once(tls, "secureConnect");
  return {
    exchange: async (request) => {
      tls.write(request);
      return readAnswer(tls, true);
    },
    end: () => void tls.end(),
  };
}

/** Reads one answer with a Content-Length (or without a body); what these tests' servers send. */
async function readAnswer(
  socket: NodeJS.ReadableStream | TLSSocket,
  hasBody: boolean,
): Promise<{ status: number; body: Buffer }> {
  let seen = Buffer.alloc(0);
  for (;;) {
    const head = seen.indexOf("\r\n\r\n");
    if (head >= 0) {
      const text = seen.toString("latin1", 0, head);
      const status = Number(text.split(" ")[1]);
      const length = hasBody && status !== 204 ? Number(/content-length: *([0-9]+)/i.exec(text)?.[1] ?? 0) : 0;
      if (seen.length >= head + 4 + length) return { status, body: seen.subarray(head + 4, head + 4 + length) };
    }
    const [chunk] = (await Promise.race([once(socket, "data"), once(socket, "end").then(() => [null])])) as [
      Buffer | null,
    ];
    if (chunk === null) throw new Error(`the connection ended after ${seen.length} bytes of an answer`);
    seen = Buffer.concat([seen, chunk]);
  }
}
