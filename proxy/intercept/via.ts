import type { Socket } from "node:net";
import { fault, WaymarkError } from "../record/fault.ts";
import { formatEndpoint } from "./authority.ts";
import type { Endpoint } from "./interceptor.ts";
import { isLocalAddress, isLocalName } from "./loopback.ts";

/** Another proxy through which everything that is not on this machine is reached (`--upstream`). */
export interface ViaProxy {
  readonly endpoint: Endpoint;
  /** Value of `Proxy-Authorization`, when the proxy wants to know who asks. */
  readonly authorization: string | undefined;
  /** True for what goes through it; loopback, and what the rules except, is reached directly. */
  readonly takes: (endpoint: Endpoint) => boolean;
}

const DEFAULT_PORT = 80;
const MAX_HEAD_BYTES = 65_536;

/**
 * Reads `http://user:pass@host:port`, and `noProxy` as programs read NO_PROXY: names, each with all below it, `.name`,
 * `*`, addresses, each with a port or without. Throws `WaymarkError` WM_PROXY_UPSTREAM.
 */
export function parseViaProxy(url: string, noProxy: string): ViaProxy {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || parsed.protocol !== "http:" || parsed.hostname === "") {
    throw new WaymarkError(
      fault("WM_PROXY_UPSTREAM", `the upstream proxy ${JSON.stringify(hidden(url))} is not http://HOST:PORT`),
    );
  }
  const { username, password, hostname, port } = parsed;
  const credentials = credentialsOf(username, password);
  if (credentials === undefined) {
    const why = "has credentials that are wrongly percent-encoded (a % that stands for itself is %25)";
    throw new WaymarkError(fault("WM_PROXY_UPSTREAM", `the upstream proxy ${JSON.stringify(hidden(url))} ${why}`));
  }
  const rules = noProxy.split(/[\s,]+/).filter((rule) => rule !== "");
  return {
    endpoint: { host: hostname.replace(/^\[|\]$/g, ""), port: port === "" ? DEFAULT_PORT : Number(port) },
    authorization: username === "" ? undefined : `Basic ${Buffer.from(credentials).toString("base64")}`,
    takes: (target) => !isLocal(target) && !rules.some((rule) => isExcepted(rule, target)),
  };
}

/** As `Proxy-Authorization` wants them; undefined when their percent-encoding means nothing. */
function credentialsOf(username: string, password: string): string | undefined {
  try {
    return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  } catch {
    return undefined;
  }
}

/** Asks the proxy on a connected socket for a tunnel (RFC 9110 section 9.3.6). Rejects with its answer in words. */
export async function openTunnel(socket: Socket, target: Endpoint, { authorization }: ViaProxy): Promise<void> {
  const authority = formatEndpoint(target);
  const proof = authorization === undefined ? "" : `Proxy-Authorization: ${authorization}\r\n`;
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${proof}\r\n`, "latin1");
  const line = await readAnswer(socket);
  const status = /^HTTP\/1\.[01] ([1-9][0-9]{2})/.exec(line)?.[1] ?? "";
  if (!status.startsWith("2")) throw new Error(`the upstream proxy answered "${line.slice(0, 80)}"`);
}

/** The status line of an answer; what follows its head stays in the socket. */
function readAnswer(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let seen: Buffer = Buffer.alloc(0);
    const settle = (act: () => void): void => {
      socket.off("readable", look).off("end", gone).off("close", gone);
      act();
    };
    const gone = (): void => settle(() => reject(new Error("the upstream proxy closed the connection")));
    const look = (): void => {
      for (let chunk = socket.read() as Buffer | null; chunk !== null; chunk = socket.read() as Buffer | null) {
        seen = Buffer.concat([seen, chunk]);
      }
      const end = seen.indexOf("\r\n\r\n");
      if (end < 0 && seen.length > MAX_HEAD_BYTES) settle(() => reject(new Error("the upstream proxy speaks no HTTP")));
      if (end < 0) return;
      settle(() => {
        if (seen.length > end + 4) socket.unshift(seen.subarray(end + 4));
        resolve(seen.toString("latin1", 0, seen.indexOf("\r\n")));
      });
    };
    socket.on("readable", look).once("end", gone).once("close", gone);
  });
}

function isLocal({ host }: Endpoint): boolean {
  return isLocalAddress(host) || isLocalName(host);
}

function isExcepted(rule: string, { host, port }: Endpoint): boolean {
  if (rule === "*" || rule.toLowerCase() === host) return true;
  const groups = /^(?:\[(?<address>[^\]]+)\]|(?<name>[^:]+))(?::(?<port>[0-9]+))?$/i.exec(rule)?.groups;
  if (groups?.["port"] !== undefined && Number(groups["port"]) !== port) return false;
  const name = (groups?.["address"] ?? groups?.["name"] ?? rule).toLowerCase().replace(/^\*?\./, "");
  return host === name || host.endsWith(`.${name}`);
}

/** Without the password, which must not be shown. */
function hidden(url: string): string {
  return url.replace(/\/\/[^@/]*@/, "//***@");
}
