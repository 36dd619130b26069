import type { Runtime } from "./runtime.ts";

const PROXY = [
  "HTTP_PROXY",
  "http_proxy",
  "HTTPS_PROXY",
  "https_proxy",
  "WS_PROXY",
  "ws_proxy",
  "WSS_PROXY",
  "wss_proxy",
  "ALL_PROXY",
  "all_proxy",
];
const EMPTIED = ["NO_PROXY", "no_proxy"];

/** The variables most programs read (curl, Python, Go, Ruby, .NET, Rust's reqwest); an inherited NO_PROXY hides traffic. */
export const proxies: Runtime = {
  name: "proxy",
  variables: ({ proxyUrl }) => [
    ...PROXY.map((name) => [name, proxyUrl] as const),
    ...EMPTIED.map((name) => [name, ""] as const),
  ],
};
