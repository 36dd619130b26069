import { type IncomingMessage, request } from "node:http";
import { performance } from "node:perf_hooks";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { LoadOrder } from "../../load.ts";
import { open, routeOf } from "../lane.ts";
import { drink } from "../throttle.ts";

const PIECE = Buffer.alloc(65_536, "waymark ");

/** One large body up or down. Gives the seconds that took, from the request to the last byte. */
export async function transfer(order: LoadOrder): Promise<number> {
  const { kind, transferBytes = 0, slowBytesPerSecond } = order;
  const socket = await open(routeOf(order));
  const slow = slowBytesPerSecond === undefined ? "" : `&slow=${slowBytesPerSecond}`;
  const isUp = kind === "upload";
  const options = {
    createConnection: () => socket,
    method: isUp ? "POST" : "GET",
    path: `/${kind}?bytes=${transferBytes}${slow}`,
    headers: {
      host: `localhost:${order.originPort}`,
      ...(isUp ? { "content-length": transferBytes, "content-type": "application/octet-stream" } : {}),
    },
  };
  const begun = performance.now();
  const asked = request(options);
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    asked.once("response", resolve);
    asked.once("error", reject);
  });
  if (isUp) await pipeline(Readable.from(pieces(transferBytes)), asked);
  else asked.end();
  const answer = await answered;
  const bytes = await drink(answer, isUp ? undefined : slowBytesPerSecond);
  if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}`);
  if (!isUp && bytes !== transferBytes) throw new Error(`${bytes} of ${transferBytes} bytes arrived`);
  socket.destroy();
  return (performance.now() - begun) / 1000;
}

/** So many bytes in pieces. */
export function* pieces(bytes: number): Generator<Buffer> {
  for (let left = bytes; left > 0; left -= PIECE.length) {
    yield left < PIECE.length ? PIECE.subarray(0, left) : PIECE;
  }
}
