import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** So many requests leave little enough behind that collecting it takes some milliseconds. */
const REQUESTS_PER_COLLECTION = 25;

/**
 * Has garbage collected every so many requests. V8 alone lets a young server's heap grow by a third over its first
 * thousand requests before it looks at it, and beside an app under test a sidecar's memory has to stay what it is
 * (test/e2e/evaluator-load.test.ts). Where the engine does not lend its collector, nothing is done.
 */
export function createTidy(): () => void {
  const collect = collector();
  let requests = 0;
  return () => {
    requests += 1;
    if (requests % REQUESTS_PER_COLLECTION === 0) collect();
  };
}

function collector(): () => void {
  setFlagsFromString("--expose-gc");
  const gc: unknown = runInNewContext("typeof gc === 'function' ? gc : undefined");
  return typeof gc === "function" ? () => void gc() : () => undefined;
}
