import type { Runtime, RuntimeContext } from "./runtime.ts";

/**
 * NODE_EXTRA_CA_CERTS adds to Node's roots and takes one file: a user's own is part of the bundle, so then Node gets that.
 * Node's clients ignore the proxy variables, so a script is loaded first that makes them use the proxy; Node 22.21, 24 and
 * later also have NODE_USE_ENV_PROXY, for programs that empty NODE_OPTIONS (older ones ignore it).
 */
export const node: Runtime = {
  name: "node",
  variables: (context) => [
    ["NODE_EXTRA_CA_CERTS", extraCertificates(context)],
    ["NODE_USE_ENV_PROXY", "1"],
    ["NODE_OPTIONS", withPreload(context.base["NODE_OPTIONS"] ?? "", context.preloadFile)],
    ["WAYMARK_PROXY_URL", context.proxyUrl],
    ["WAYMARK_CA_FILE", context.certFile],
  ],
};

function extraCertificates({ base, certFile, bundleFile }: RuntimeContext): string {
  const current = base["NODE_EXTRA_CA_CERTS"] ?? "";
  return current === "" || current === certFile ? certFile : bundleFile;
}

/**
 * NODE_OPTIONS with the script required last, so that a user's own scripts stay and run first; it is there once, however
 * often this is done. Within the double quotes a backslash escapes (Node's own reading), so paths are written with `/`.
 */
export function withPreload(options: string, file: string): string {
  const path = process.platform === "win32" ? file.replaceAll("\\", "/") : file;
  const ours = `--require "${path.replace(/[\\"]/g, "\\$&")}"`;
  const kept = options.replaceAll(ours, "").replace(/ {2,}/g, " ").trim();
  return kept === "" ? ours : `${kept} ${ours}`;
}
