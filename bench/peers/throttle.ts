import type { Readable } from "node:stream";

/** Reads a stream to its end, not faster than that when a rate is given. Resolves with its length, rejects when it breaks off. */
export function drink(stream: Readable, bytesPerSecond?: number): Promise<number> {
  return new Promise((resolve, reject) => {
    let bytes = 0;
    stream.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytesPerSecond === undefined) return;
      stream.pause();
      setTimeout(() => stream.resume(), (chunk.length * 1000) / bytesPerSecond);
    });
    stream.once("end", () => resolve(bytes));
    stream.once("error", reject);
    stream.once("close", () => reject(new Error(`it broke off after ${bytes} bytes`)));
  });
}
