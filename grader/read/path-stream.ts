import { close, constants, createReadStream, open, statSync } from "node:fs";
import { Socket } from "node:net";
import { PassThrough, pipeline, type Readable } from "node:stream";
import { isatty, ReadStream } from "node:tty";

/**
 * What stands at a path that is neither file nor folder (a FIFO, `/dev/fd/N`, a terminal, a device), as a stream. Unlike
 * `createReadStream` a FIFO and a terminal can be let go of at any time: no call for them waits in one of Node's threads,
 * which would keep the process from ending and others from being read.
 */
export function pathStream(path: string): Readable {
  const stream = new PassThrough();
  open(path, flagsFor(path), (error, fd) => {
    if (error !== null) stream.destroy(error);
    else if (stream.destroyed) close(fd);
    else pipeline(readingOf(fd), stream, () => undefined); // the stream has the error, too
  });
  return stream;
}

/**
 * Opening a FIFO waits for its other end, unless told not to. On Linux it is then the event loop that waits: a FIFO that
 * nobody has opened yet is not at its end there (pipe(7): it is once a writer has closed it).
 */
function flagsFor(path: string): number {
  const isFifo = statSync(path, { throwIfNoEntry: false })?.isFIFO() === true;
  return constants.O_RDONLY | (isFifo && process.platform === "linux" ? constants.O_NONBLOCK : 0);
}

/** Terminals and pipes are waited for by the event loop; what that cannot wait for is read by Node's threads. */
function readingOf(fd: number): Readable {
  if (isatty(fd)) return new ReadStream(fd);
  try {
    return new Socket({ fd, readable: true, writable: false });
  } catch {
    return createReadStream("", { fd });
  }
}
