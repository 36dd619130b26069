import { finished, PassThrough, type Readable } from "node:stream";

/**
 * As many streams as wanted, each of which brings what the given one brings; the slowest reader sets the pace. A branch
 * that is destroyed is left out, and with the last of them the given stream is destroyed. Its error is an error of all.
 */
export function branchesOf(stream: Readable, count: number): readonly Readable[] {
  const branches = Array.from({ length: count }, () => stream.pipe(new PassThrough()));
  let open = count;
  for (const branch of branches) {
    branch.once("close", () => {
      open -= 1;
      if (open === 0) stream.destroy();
    });
  }
  finished(stream, { writable: false }, (error) => {
    if (error) for (const branch of branches) branch.destroy(error);
  });
  return branches;
}
