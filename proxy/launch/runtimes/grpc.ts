import type { Runtime } from "./runtime.ts";

/** gRPC's C core and grpc-js: a proxy variable of their own, and roots that replace all others. */
export const grpc: Runtime = {
  name: "grpc",
  variables: ({ proxyUrl, bundleFile }) => [
    ["grpc_proxy", proxyUrl],
    ["no_grpc_proxy", ""],
    ["GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", bundleFile],
  ],
};
