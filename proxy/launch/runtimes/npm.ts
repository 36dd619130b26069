import type { Runtime } from "./runtime.ts";

/** npm, pnpm and what else reads npm's settings from the environment; `cafile` replaces npm's roots. */
export const npm: Runtime = {
  name: "npm",
  variables: ({ proxyUrl, bundleFile }) => [
    ["npm_config_proxy", proxyUrl],
    ["npm_config_https_proxy", proxyUrl],
    ["npm_config_cafile", bundleFile],
  ],
};
