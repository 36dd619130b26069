import { connect, type Socket } from "node:net";
import type { ProxyAddress } from "./proxy-address.ts";

const MAX_ANSWER_BYTES = 16_384;

/**
 * Opens a connection to `host:port` through the proxy (CONNECT, RFC 9110 section 9.3.6). Calls back once: with a socket that
 * carries the far side's bytes only, or with an error that looks like that of a direct connection. `timeoutMs` as the
 * request asked for it; 0 is none.
 */
export function openTunnel(
  proxy: ProxyAddress,
  to: { readonly host: string; readonly port: number; readonly timeoutMs: number },
  done: (error: Error | null, socket?: Socket) => void,
): void {
  const socket = connect({ host: proxy.host, port: proxy.port, noDelay: true });
  const authority = `${to.host.includes(":") ? `[${to.host}]` : to.host}:${to.port}`;
  const who = proxy.authorization === undefined ? "" : `Proxy-Authorization: ${proxy.authorization}\r\n`;
  let answer = Buffer.alloc(0);
  const finish = (error: Error | null): void => {
    socket.removeAllListeners("readable").removeAllListeners("error").removeAllListeners("close");
    socket.setTimeout(0).removeAllListeners("timeout");
    if (error === null) {
      done(null, socket);
      return;
    }
    socket.on("error", () => undefined).destroy();
    done(error);
  };
  const read = (): void => {
    for (let chunk = socket.read() as Buffer | null; chunk !== null; chunk = socket.read() as Buffer | null) {
      answer = Buffer.concat([answer, chunk]);
      const end = answer.indexOf("\r\n\r\n");
      if (end < 0 && answer.length < MAX_ANSWER_BYTES) continue;
      const [status = ""] = answer.toString("latin1").split("\r\n", 1);
      if (end < 0 || !/^HTTP\/1\.[01] 2\d\d\b/.test(status)) {
        finish(refused(authority, `the proxy answered "${status}"`));
        return;
      }
      const rest = answer.subarray(end + 4);
      if (rest.length > 0) socket.unshift(rest);
      finish(null);
      return;
    }
  };
  socket.on("error", finish);
  socket.on("close", () => finish(refused(authority, "the proxy closed the connection")));
  socket.on("readable", read);
  if (to.timeoutMs > 0) {
    const late = (): void => finish(failure("ETIMEDOUT", `connect ETIMEDOUT ${authority}`));
    socket.setTimeout(to.timeoutMs).on("timeout", late);
  }
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${who}\r\n`);
}

/** Programs look at the code to decide whether to try again. */
function refused(authority: string, why: string): Error {
  return failure("ECONNREFUSED", `connect ECONNREFUSED ${authority} (${why})`);
}

function failure(code: string, message: string): Error {
  return Object.assign(new Error(message), { code, syscall: "connect" });
}
