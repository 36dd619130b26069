import { BlockList, isIP, type LookupFunction } from "node:net";

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");
LOOPBACK.addSubnet("::ffff:127.0.0.0", 104, "ipv6");

const UNSPECIFIED = new BlockList();
UNSPECIFIED.addSubnet("0.0.0.0", 8, "ipv4");
UNSPECIFIED.addAddress("::", "ipv6");
UNSPECIFIED.addSubnet("::ffff:0.0.0.0", 104, "ipv6");

/** True for an address that only programs on this machine can reach, mapped into IPv6 as well. */
export function isLoopback(address: string): boolean {
  return holds(LOOPBACK, address);
}

/** True for an address that leads to this machine when it is dialled: loopback, and the unspecified one. */
export function isLocalAddress(address: string): boolean {
  return isLoopback(address) || holds(UNSPECIFIED, address);
}

function holds(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 4 ? "ipv4" : "ipv6");
}

/** True for `localhost` and names below it, which never leave the machine (RFC 6761 section 6.3). */
export function isLocalName(host: string): boolean {
  return /^(.+\.)?localhost\.?$/i.test(host);
}

/** Looks up nothing anywhere: names of loopback are its addresses, every other name is unknown. */
export const lookupOffline: LookupFunction = (host, { all }, done) => {
  if (!isLocalName(host)) {
    done(Object.assign(new Error(`${host} is not looked up offline`), { code: "ENOTFOUND" }), []);
  } else if (all === true) {
    done(null, [
      { address: "127.0.0.1", family: 4 },
      { address: "::1", family: 6 },
    ]);
  } else done(null, "127.0.0.1", 4);
};
