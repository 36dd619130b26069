import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";
import { networkInterfaces } from "node:os";
import type { Endpoint } from "./interceptor.ts";

/** Addresses that reach this machine whatever the network: loopback and unspecified, mapped into IPv6 as well. */
const LOCAL = new BlockList();
LOCAL.addSubnet("127.0.0.0", 8, "ipv4");
LOCAL.addSubnet("0.0.0.0", 8, "ipv4");
LOCAL.addAddress("::1", "ipv6");
LOCAL.addAddress("::", "ipv6");
LOCAL.addSubnet("::ffff:127.0.0.0", 104, "ipv6");
LOCAL.addSubnet("::ffff:0.0.0.0", 104, "ipv6");

/** Tells whether an endpoint is the proxy itself or another of our ports (RFC 9110 section 7.6.3 asks for no loops). */
export class OwnPorts {
  readonly #ports: Set<number>;
  readonly #own: readonly string[];

  constructor(listening: Endpoint, refusedPorts: readonly number[]) {
    this.#ports = new Set([listening.port, ...refusedPorts]);
    this.#own = listening.host === "0.0.0.0" || listening.host === "::" ? everyAddress() : [listening.host];
  }

  /** By address or by any name that resolves to one of ours. Looks names up only when the port is one of ours. */
  async includes({ host, port }: Endpoint): Promise<boolean> {
    if (!this.#ports.has(port)) return false;
    if (isIP(host) !== 0) return this.#isHere(host);
    if (/^(.+\.)?localhost\.?$/.test(host)) return true; // RFC 6761 section 6.3
    const found = await lookup(host, { all: true }).catch(() => []); // unknown names fail when they are dialled
    return found.some(({ address }) => this.#isHere(address));
  }

  /** The same for a connection that stands; catches names whose address changed since they were looked up. */
  includesPeer(address: string | undefined, port: number | undefined): boolean {
    return address !== undefined && port !== undefined && this.#ports.has(port) && this.#isHere(address);
  }

  #isHere(address: string): boolean {
    return LOCAL.check(address, family(address)) || this.#own.includes(address);
  }
}

function family(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 4 ? "ipv4" : "ipv6";
}

/** What listens on all addresses is reached through that of any interface. */
function everyAddress(): string[] {
  return Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
}
