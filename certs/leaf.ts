import { KeyObject, sign, webcrypto } from "node:crypto";
import { isIP } from "node:net";
import { domainToASCII } from "node:url";
import type { Authority } from "./authority.ts";
import { der, derTime, oid, TAG } from "./der.ts";
import { DAY_MS, newKeyPair, newSerial, privateKeyPem, x509 } from "./x509.ts";

/** Apple and the CA/Browser Forum's baseline requirements refuse leaf certificates valid for longer. */
const MAX_DAYS = 398;
const LIFETIME_DAYS = 396; // with the day of backdating still within the limit
const MAX_CACHED = 1024;
const MAX_COMMON_NAME = 64; // ub-common-name, RFC 5280 appendix A.1
const DNS_NAME = /^(?=.{1,253}$)(?!-)[a-z0-9_*-]{1,63}(\.[a-z0-9_-]{1,63})*$/;

const SIGNED_BY = der(TAG.sequence, oid(1, 2, 840, 10_045, 4, 3, 2)); // ecdsa-with-SHA256, RFC 5758 section 3.2
const COMMON_NAME = oid(2, 5, 4, 3);
const ORGANISATION = oid(2, 5, 4, 10);
const ALTERNATIVE_NAME = oid(2, 5, 29, 17);

/** TLS key and chain (leaf, then authority), in PEM. */
export interface LeafPair {
  readonly key: string;
  readonly cert: string;
}

/** Gives the certificate for a host name or an address without brackets; rejects what is neither. */
export type CertificateFor = (host: string) => Promise<LeafPair>;

/**
 * Issues server certificates under `authority`, in memory only. All leaves share one P-256 key made on first use; a
 * certificate takes less than a millisecond and the latest 1,024 are kept. Valid from a day ago (for clocks that are
 * behind) for less than 398 days, and never longer than the authority itself.
 */
export function createCertificateFor(authority: Authority): CertificateFor {
  let shared: Promise<SharedKey> | undefined;
  const cache = new Map<string, Promise<LeafPair>>();
  return (host) => {
    const name = canonicalName(host);
    if (name === undefined) return Promise.reject(new TypeError(`"${host}" is neither a host name nor an address`));
    const known = cache.get(name);
    if (known !== undefined) {
      cache.delete(name);
      cache.set(name, known); // now the youngest
      return known;
    }
    shared ??= makeSharedKey(authority);
    const issued = shared.then((key) => issue(authority, name, key));
    remember(cache, name, issued);
    return issued;
  };
}

/** What all leaves have in common; in DER but for the private key. */
interface SharedKey {
  readonly publicKey: Uint8Array;
  readonly pem: string;
  readonly issuer: Uint8Array;
  readonly signer: KeyObject;
  readonly extensions: readonly Uint8Array[];
}

async function makeSharedKey({ certificate, signingKey }: Authority): Promise<SharedKey> {
  const { publicKey, privateKey } = await newKeyPair();
  const extensions = [
    new x509.BasicConstraintsExtension(false, undefined, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    await x509.SubjectKeyIdentifierExtension.create(publicKey),
    await x509.AuthorityKeyIdentifierExtension.create(certificate.publicKey),
  ];
  return {
    publicKey: new Uint8Array(await webcrypto.subtle.exportKey("spki", publicKey)),
    pem: await privateKeyPem(privateKey),
    issuer: new Uint8Array(certificate.subjectName.toArrayBuffer()),
    signer: KeyObject.from(signingKey),
    extensions: extensions.map(({ rawData }) => new Uint8Array(rawData)),
  };
}

function remember(cache: Map<string, Promise<LeafPair>>, name: string, issued: Promise<LeafPair>): void {
  cache.set(name, issued);
  issued.catch(() => cache.delete(name)); // the caller sees the rejection; the next call tries anew
  const eldest = cache.keys().next();
  if (cache.size > MAX_CACHED && eldest.done !== true) cache.delete(eldest.value);
}

/** Lower case, without trailing dot and zone index, in ASCII; undefined for what no certificate can name. */
function canonicalName(host: string): string | undefined {
  const bare = host.replace(/%.*$/, "");
  if (isIP(bare) !== 0) return bare.toLowerCase();
  const name = (/[^\x20-\x7e]/.test(host) ? domainToASCII(host) : host).toLowerCase().replace(/\.$/, "");
  return DNS_NAME.test(name) ? name : undefined;
}

/**
 * A certificate of RFC 5280 section 4.1. Written here and signed at once: `X509CertificateGenerator` takes ten times as
 * long, on the one thread that also carries the traffic of all other hosts (`npm run bench -- proxy --only new-hosts`).
 */
function issue(authority: Authority, name: string, shared: SharedKey): LeafPair {
  const now = Date.now();
  const notAfter = new Date(Math.min(now + LIFETIME_DAYS * DAY_MS, authority.notAfter.getTime()));
  const certified = der(
    TAG.sequence,
    der(TAG.version, der(TAG.integer, Buffer.from([2]))),
    der(TAG.integer, Buffer.from(newSerial(), "hex")),
    SIGNED_BY,
    shared.issuer,
    der(TAG.sequence, derTime(new Date(now - DAY_MS)), derTime(notAfter)),
    subjectOf(name),
    shared.publicKey,
    der(TAG.extensions, der(TAG.sequence, ...shared.extensions, alternativeName(name))),
  );
  const signature = der(TAG.bitString, Buffer.from([0]), sign("sha256", certified, shared.signer));
  const certificate = der(TAG.sequence, certified, SIGNED_BY, signature);
  const pem = x509.PemConverter.encode(certificate, "CERTIFICATE");
  return { key: shared.pem, cert: `${pem}\n${authority.certPem}` };
}

function subjectOf(name: string): Buffer {
  const attribute = (type: Buffer, value: string): Buffer =>
    der(TAG.set, der(TAG.sequence, type, der(TAG.utf8String, Buffer.from(value))));
  const commonName = name.length <= MAX_COMMON_NAME ? name : "waymark leaf";
  return der(TAG.sequence, attribute(COMMON_NAME, commonName), attribute(ORGANISATION, "waymark"));
}

function alternativeName(name: string): Buffer {
  const general = isIP(name) === 0 ? der(TAG.dnsName, Buffer.from(name)) : der(TAG.ipAddress, addressBytes(name));
  return der(TAG.sequence, ALTERNATIVE_NAME, der(TAG.octetString, der(TAG.sequence, general)));
}

/** An address in network order, 4 or 16 bytes. */
function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split(".").map(Number));
  // A URL writes the last 32 bits, which may be in dots, in hexadecimal too.
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const groups = (text = ""): string[] => (text === "" ? [] : text.split(":"));
  const [before, after] = [groups(head), groups(tail)];
  const zeros = Array<string>(8 - before.length - after.length).fill("0");
  return Buffer.from([...before, ...zeros, ...after].map((group) => group.padStart(4, "0")).join(""), "hex");
}

/** Longest validity of any leaf, in days; for tests and docs. */
export const LEAF_MAX_DAYS = MAX_DAYS;
