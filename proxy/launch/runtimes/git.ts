import type { Runtime } from "./runtime.ts";

export const git: Runtime = {
  name: "git",
  variables: ({ bundleFile }) => [["GIT_SSL_CAINFO", bundleFile]],
};
