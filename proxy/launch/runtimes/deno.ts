import type { Runtime } from "./runtime.ts";

/** Adds to Deno's roots. */
export const deno: Runtime = {
  name: "deno",
  variables: ({ certFile }) => [["DENO_CERT", certFile]],
};
