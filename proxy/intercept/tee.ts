import type { Socket } from "node:net";
import { countPassed } from "./passed-bytes.ts";
import type { Watcher } from "./watcher.ts";

/** One end of a connection: the stream that carries its bytes, and the TCP socket below it (the same when there is no TLS). */
export interface Side {
  readonly stream: Socket;
  readonly raw: Socket;
}

/**
 * Joins two sides for good: every byte passes unchanged in both directions with the sockets' own back-pressure; the
 * end of one side's sending and a reset are carried over. The watcher gets each chunk after it has been passed on.
 * Hot: one listener and no allocation per chunk.
 */
export function join(client: Side, upstream: Side, watcher: Watcher | undefined, whenClosed: () => void): void {
  pump(client, upstream, watcher?.request, watcher?.requestEnd);
  pump(upstream, client, watcher?.answer, watcher?.answerEnd);
  let open = 2;
  const closed = (): void => {
    open -= 1;
    if (open > 0) return;
    watcher?.close();
    whenClosed();
  };
  client.stream.once("close", closed);
  upstream.stream.once("close", closed);
  if (client.stream.destroyed || upstream.stream.destroyed) {
    // One of them was gone before they could be joined; its `close` may have been emitted already.
    for (const { stream, raw } of [client, upstream]) {
      if (!stream.closed) stream.destroy();
      raw.destroy(); // which a stream of TLS leaves open when its handshake is not over
    }
    for (const { stream } of [client, upstream]) if (stream.closed) closed();
    return;
  }
  client.stream.resume();
  upstream.stream.resume();
}

function pump(from: Side, to: Side, see: ((chunk: Buffer) => void) | undefined, ended: (() => void) | undefined): void {
  const source = from.stream;
  const target = to.stream;
  let wasReset = false;
  let isHeldBack = false;
  const release = (): void => {
    isHeldBack = false;
    if (source.isPaused()) source.resume();
    source._read(0);
  };
  const pass = (chunk: Buffer): boolean => {
    const isTaken = target.write(chunk);
    if (!isTaken && !isHeldBack) {
      isHeldBack = true;
      target.once("drain", release);
    }
    if (see !== undefined) see(chunk);
    countPassed(chunk.length);
    return isTaken;
  };
  source.on("data", (chunk: Buffer) => {
    if (!pass(chunk)) source.pause();
  });
  passAtOnce(source, pass);
  const end = (): void => {
    target.end();
    ended?.();
    if (from.raw !== source) watchForStall(from);
  };
  source.once("end", end);
  if (source.readableEnded) end(); // by an alert of TLS, before anybody listened
  source.on("error", (error: NodeJS.ErrnoException) => {
    wasReset ||= error.code === "ECONNRESET";
  });
  source.once("close", () => {
    if (target.destroyed) return;
    // What had arrived before a clean end still has to reach the other side.
    if (source.readableEnded) target.destroySoon();
    else if (wasReset) resetOnceWritten(to);
    else target.destroy();
  });
}

/**
 * Takes what Node has read where it hands it to the stream, by `push`, past the stream's own buffer and its turn of the
 * loop: a twentieth of the processor time of a connection. Whatever else, and whatever waits in that buffer, goes the
 * ordinary way to `data`. False holds back the reading, until `_read`.
 */
function passAtOnce(source: Socket, pass: (chunk: Buffer) => boolean): void {
  const push = source.push;
  source.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
    const isNext = source.readableFlowing === true && source.readableLength === 0;
    if (isNext && Buffer.isBuffer(chunk) && chunk.length > 0) return pass(chunk);
    return push.call(source, chunk, encoding);
  };
}

/** A side that has ended its sending and takes nothing for one to two of these, though something waits for it, is gone. */
const STALL_MS = 15_000;

/**
 * A peer that ends TCP without an end of TLS (`close_notify`, RFC 8446 section 6.1) leaves Node's TLS unable to write,
 * which it never says: what is written then waits for ever, and with it both descriptors. Nobody reads that socket any
 * more either, so that a reset behind such an end is not seen.
 */
function watchForStall({ stream, raw }: Side): void {
  let written: number | undefined;
  const timer = setInterval(() => {
    if (stream.destroyed) return clearInterval(timer);
    const isWaiting = stream.writableLength > 0;
    if (isWaiting && raw.bytesWritten === written) stream.destroy();
    written = isWaiting ? raw.bytesWritten : undefined;
  }, STALL_MS).unref();
  stream.once("close", () => clearInterval(timer));
}

/** What was passed on before the reset still goes out, as it would have without us. */
export function resetOnceWritten(to: Side): void {
  if (to.stream.writableLength === 0 || !to.stream.writable) reset(to);
  else to.stream.write(Buffer.alloc(0), () => reset(to));
}

/** Ends a side with a TCP reset, as its peer would have seen it without us. */
export function reset(side: Side): void {
  // libuv refuses to reset a socket whose sending is just being ended, and Node then loses its descriptor.
  if (!side.raw.destroyed && !side.raw.writableEnded) side.raw.resetAndDestroy();
  side.raw.destroy();
  side.stream.destroy();
}
