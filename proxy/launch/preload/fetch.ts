import { join } from "node:path";
import type { ProxyAddress } from "./proxy-address.ts";

/** The symbols by which Node's own fetch and every installed undici find the dispatcher all requests go through. */
const DISPATCHERS = [Symbol.for("undici.globalDispatcher.1"), Symbol.for("undici.globalDispatcher.2")];

interface Dispatcher {
  readonly dispatch: (...args: unknown[]) => unknown;
}

/**
 * Makes `fetch`, `WebSocket` and undici use the proxy. undici's ProxyAgent stands in a file of its own and is loaded by the
 * first request, since loading it takes longer than many a Node program lives. A program that sets a dispatcher of its own
 * afterwards, or names one in a request, goes past it.
 */
export function guideFetch(proxy: ProxyAddress): void {
  let loaded: Dispatcher | undefined;
  const load = (): Dispatcher => {
    loaded ??= makeDispatcher(proxy);
    return loaded;
  };
  const stand = new Proxy({} as Dispatcher, {
    get(_, name) {
      const value: unknown = Reflect.get(load(), name);
      return typeof value === "function" ? value.bind(load()) : value;
    },
    has: (_, name) => Reflect.has(load(), name),
    getPrototypeOf: () => Object.getPrototypeOf(load()),
  });
  for (const symbol of DISPATCHERS) {
    Object.defineProperty(globalThis, symbol, { value: stand, writable: true, enumerable: false, configurable: true });
  }
}

function makeDispatcher({ url, authorization }: ProxyAddress): Dispatcher {
  // Not bundled with this file: see above.
  const { ProxyAgent } = require(join(__dirname, "preload-fetch.cjs")) as {
    ProxyAgent: new (options: { uri: string; token?: string }) => Dispatcher;
  };
  const { origin } = new URL(url);
  return new ProxyAgent({ uri: origin, ...(authorization === undefined ? {} : { token: authorization }) });
}
