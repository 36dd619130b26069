// Loaded before every Node program of a launch (`NODE_OPTIONS=--require`), in its worker threads and its Node children too.
// It sends the program's requests through the proxy whose address stands in WAYMARK_PROXY_URL, and does nothing without.
import { readFileSync, realpathSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { dirname, sep } from "node:path";
import { tunnelAgents } from "./agents.ts";
import { guideChildren } from "./children.ts";
import { guideFetch } from "./fetch.ts";
import { readProxy } from "./proxy-address.ts";
import { leadRequests } from "./requests.ts";
import { trustToo } from "./trust.ts";

/** Taken out of this process: SDKs that read them open connections of their own and break, or hide loopback traffic. */
const HIDDEN = [
  "HTTP_PROXY",
  "http_proxy",
  "HTTPS_PROXY",
  "https_proxy",
  "ALL_PROXY",
  "all_proxy",
  "NO_PROXY",
  "no_proxy",
];

/** waymark's own programs stand beside this file; they connect as they are told to. */
function isWaymark(): boolean {
  try {
    return realpathSync(process.argv[1] ?? "").startsWith(dirname(__filename) + sep);
  } catch {
    return false; // no script: a REPL, or -e
  }
}

function prepare(step: () => void): void {
  try {
    step();
  } catch (cause) {
    process.stderr.write(`waymark: part of this program's traffic may not be seen: ${String(cause)}\n`);
  }
}

const proxy = readProxy(process.env["WAYMARK_PROXY_URL"]);
if (proxy !== undefined && !isWaymark()) {
  const certFile = process.env["WAYMARK_CA_FILE"] ?? "";
  prepare(() => tunnelAgents(proxy));
  prepare(() => leadRequests());
  prepare(() => guideFetch(proxy));
  prepare(() => trustToo(() => readFileSync(certFile, "utf8")));
  prepare(() => guideChildren(proxy.url));
  prepare(() => syncBuiltinESMExports());
  for (const name of HIDDEN) delete process.env[name];
}
