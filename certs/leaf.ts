import type { webcrypto } from "node:crypto";
import { isIP } from "node:net";
import { domainToASCII } from "node:url";
import type { Authority } from "./authority.ts";
import { DAY_MS, ECDSA_SHA256, newKeyPair, newSerial, privateKeyPem, wholeSeconds, x509 } from "./x509.ts";

/** Apple and the CA/Browser Forum's baseline requirements refuse leaf certificates valid for longer. */
const MAX_DAYS = 398;
const LIFETIME_DAYS = 396; // with the day of backdating still within the limit
const MAX_CACHED = 1024;
const MAX_COMMON_NAME = 64; // ub-common-name, RFC 5280 appendix A.1
const DNS_NAME = /^(?=.{1,253}$)(?!-)[a-z0-9_*-]{1,63}(\.[a-z0-9_-]{1,63})*$/;

/** TLS key and chain (leaf, then authority), in PEM. */
export interface LeafPair {
  readonly key: string;
  readonly cert: string;
}

/** Gives the certificate for a host name or an address without brackets; rejects what is neither. */
export type CertificateFor = (host: string) => Promise<LeafPair>;

/**
 * Issues server certificates under `authority`, in memory only. All leaves share one P-256 key made on first use; a
 * certificate takes a few milliseconds and the latest 1,024 are kept. Valid from a day ago (for clocks that are
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

/** What all leaves have in common. */
interface SharedKey {
  readonly publicKey: webcrypto.CryptoKey;
  readonly pem: string;
  readonly extensions: readonly x509.Extension[];
}

async function makeSharedKey(authority: Authority): Promise<SharedKey> {
  const { publicKey, privateKey } = await newKeyPair();
  const extensions = [
    new x509.BasicConstraintsExtension(false, undefined, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    await x509.SubjectKeyIdentifierExtension.create(publicKey),
    await x509.AuthorityKeyIdentifierExtension.create(authority.certificate.publicKey),
  ];
  return { publicKey, pem: await privateKeyPem(privateKey), extensions };
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

async function issue(authority: Authority, name: string, shared: SharedKey): Promise<LeafPair> {
  const now = Date.now();
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: newSerial(),
    subject: [{ CN: [name.length <= MAX_COMMON_NAME ? name : "waymark leaf"] }, { O: ["waymark"] }],
    issuer: authority.certificate.subjectName,
    notBefore: wholeSeconds(now - DAY_MS),
    notAfter: wholeSeconds(Math.min(now + LIFETIME_DAYS * DAY_MS, authority.notAfter.getTime())),
    publicKey: shared.publicKey,
    signingKey: authority.signingKey,
    signingAlgorithm: ECDSA_SHA256,
    extensions: [
      ...shared.extensions,
      new x509.SubjectAlternativeNameExtension([{ type: isIP(name) === 0 ? "dns" : "ip", value: name }]),
    ],
  });
  return { key: shared.pem, cert: `${certificate.toString("pem")}\n${authority.certPem}` };
}

/** Longest validity of any leaf, in days; for tests and docs. */
export const LEAF_MAX_DAYS = MAX_DAYS;
