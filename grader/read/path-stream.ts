import { close, closeSync, constants, createReadStream, open, openSync, statSync } from "node:fs";
import { Socket } from "node:net";
import { PassThrough, pipeline, type Readable } from "node:stream";

/**
 * What stands at a path that is neither file nor folder (a FIFO, `/dev/fd/N`, a device), as a stream. Unlike
 * `createReadStream` it can be let go of at any time: while nobody has opened its other end, and while nothing comes. A
 * call that waits in one of Node's threads would keep the process from ending.
 */
export function pathStream(path: string): Readable {
  const stream = new PassThrough();
  let isOpen = false;
  open(path, "r", (error, fd) => {
    isOpen = true;
    if (error !== null) stream.destroy(error);
    else if (stream.destroyed) close(fd);
    else pipeline(readingOf(fd), stream, () => undefined); // the stream has the error, too
  });
  stream.once("close", () => {
    if (!isOpen) openOtherEnd(path);
  });
  return stream;
}

/** Pipes are waited for by the event loop; what that cannot wait for is read by Node's threads. */
function readingOf(fd: number): Readable {
  try {
    return new Socket({ fd, readable: true, writable: false });
  } catch {
    return createReadStream("", { fd });
  }
}

/** Lets a call return that waits to open a FIFO for reading. */
function openOtherEnd(path: string): void {
  try {
    if (statSync(path).isFIFO()) closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
  } catch {
    // nobody waits any more
  }
}
