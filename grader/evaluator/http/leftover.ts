import type { IncomingMessage } from "node:http";

const MOST_BYTES = 1_073_741_824;
const MOST_MS = 20_000;

/**
 * Reads and drops what a client still sends of a request that is answered already. A connection that is closed while it
 * sends is reset, and most clients then never see the answer (RFC 9112 section 9.6). Who sends too much or too slowly is
 * cut off all the same.
 */
export function dropLeftover(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  let bytes = 0;
  const timer = setTimeout(() => request.socket.destroy(), MOST_MS);
  timer.unref();
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) request.socket.destroy();
  });
  request.once("close", () => clearTimeout(timer)).on("error", () => undefined);
  request.resume();
}
