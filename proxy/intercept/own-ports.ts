import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import type { Endpoint } from "./interceptor.ts";
import { isLocalAddress, isLocalName } from "./loopback.ts";

/** Tells whether an endpoint is the proxy itself or another of our ports (RFC 9110 section 7.6.3 asks for no loops). */
export class OwnPorts {
  readonly #ports: Set<number>;
  readonly #own: readonly string[];
  readonly #isOffline: boolean;

  /** Offline no name is looked up; a name that is not local is then taken for another machine's. */
  constructor(listening: Endpoint, refusedPorts: readonly number[], isOffline = false) {
    this.#ports = new Set([listening.port, ...refusedPorts]);
    this.#own = listening.host === "0.0.0.0" || listening.host === "::" ? everyAddress() : [listening.host];
    this.#isOffline = isOffline;
  }

  /** By address or by any name that resolves to one of ours. Looks names up only when the port is one of ours. */
  async includes({ host, port }: Endpoint): Promise<boolean> {
    if (!this.#ports.has(port)) return false;
    if (isIP(host) !== 0) return this.#isHere(host);
    if (isLocalName(host)) return true;
    if (this.#isOffline) return false;
    const found = await lookup(host, { all: true }).catch(() => []); // unknown names fail when they are dialled
    return found.some(({ address }) => this.#isHere(address));
  }

  /** The same for a connection that stands; catches names whose address changed since they were looked up. */
  includesPeer(address: string | undefined, port: number | undefined): boolean {
    return address !== undefined && port !== undefined && this.#ports.has(port) && this.#isHere(address);
  }

  #isHere(address: string): boolean {
    return isLocalAddress(address) || this.#own.includes(address);
  }
}

/** What listens on all addresses is reached through that of any interface. */
function everyAddress(): string[] {
  return Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
}
