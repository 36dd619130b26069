import { once } from "node:events";
import { connect } from "node:net";
import type { Endpoint } from "../proxy/intercept/interceptor.ts";
import { waymarkError } from "../proxy/record/fault.ts";

const CONNECT_MS = 3000;

/** The address of a proxy that is said to run: a port of this machine, HOST:PORT or a URL. Throws WM_OPEN_PROXY when nobody listens there. */
export async function runningProxy(text: string): Promise<Endpoint> {
  const address = addressOf(text);
  const socket = connect({ ...address, timeout: CONNECT_MS });
  try {
    await Promise.race([
      once(socket, "connect"),
      once(socket, "timeout").then(() => Promise.reject(new Error("no answer"))),
    ]);
    return address;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw waymarkError("WM_OPEN_PROXY", `no proxy listens at ${text}: ${why}`, { cause });
  } finally {
    socket.destroy();
  }
}

function addressOf(text: string): Endpoint {
  const url = /^\d+$/.test(text) ? `http://127.0.0.1:${text}` : /^[a-z]+:\/\//i.test(text) ? text : `http://${text}`;
  const { hostname = "", port = "", protocol = "" } = URL.canParse(url) ? new URL(url) : {};
  if (protocol !== "http:" || hostname === "")
    throw waymarkError("WM_USAGE", `--proxy got "${text}"; it takes a port or http://HOST:PORT`);
  return { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || 80) };
}
