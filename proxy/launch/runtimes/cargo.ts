import type { Runtime } from "./runtime.ts";

export const cargo: Runtime = {
  name: "cargo",
  variables: ({ bundleFile }) => [["CARGO_HTTP_CAINFO", bundleFile]],
};
