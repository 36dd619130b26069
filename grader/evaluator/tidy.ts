import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Has garbage of this thread collected every so many requests; they leave little enough behind that it takes milliseconds. V8 alone lets a young server's heap grow by a third over its first
 * thousand requests before it looks at it, and beside an app under test a sidecar's memory has to stay what it is
 * (test/e2e/evaluator-load.test.ts). Where the engine does not lend its collector, nothing is done.
 */
export function createTidy(every: number): () => void {
  const collect = collector();
  let requests = 0;
  return () => {
    requests += 1;
    if (requests % every === 0) collect();
  };
}

function collector(): () => void {
  setFlagsFromString("--expose-gc");
  const gc: unknown = runInNewContext("typeof gc === 'function' ? gc : undefined");
  return typeof gc === "function" ? () => void gc() : () => undefined;
}
