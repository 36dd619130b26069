import { webcrypto } from "node:crypto";
import { join } from "node:path";
import { type FaultCode, fault, WaymarkError } from "../proxy/record/fault.ts";
import { authorityFolder } from "./location.ts";
import { latestGeneration, latestPair, prepareFolder, removeOlder, storePair, writeWhole } from "./vault.ts";
import { DAY_MS, ECDSA_SHA256, newKeyPair, newSerial, P256, privateKeyPem, wholeSeconds, x509 } from "./x509.ts";

const LIFETIME_DAYS = 1825;
/** An authority this near its end is replaced, so that no leaf is cut short in the middle of a session. */
const RENEW_DAYS = 30;
const CERTIFICATE_FILE = "waymark-ca.pem";

/** This user's certificate authority, ready to sign. Only `leaf.ts` uses `signingKey`; it never leaves the process. */
export interface Authority {
  readonly folder: string;
  readonly certPem: string;
  /** Path of the certificate alone, the file to trust; it holds no secret. */
  readonly certFile: string;
  readonly subject: string;
  readonly notAfter: Date;
  /** SHA-256 over the certificate, as `AB:CD:...`. */
  readonly fingerprint: string;
  readonly certificate: x509.X509Certificate;
  readonly signingKey: webcrypto.CryptoKey;
}

export interface OpenedAuthority {
  readonly authority: Authority;
  /** What was done; `created` and `renewed` mean that the certificate has yet to be trusted. */
  readonly event: "created" | "renewed" | "loaded";
}

/**
 * Loads the certificate authority kept in `folder` (default: `authorityFolder()`), makes one when there is none and
 * replaces one that ends within 30 days. Any number of processes may call this at once and all get the same one.
 * Throws `WaymarkError` WM_CERTS_KEY_EXPOSED when others can read the key (POSIX), WM_CERTS_UNREADABLE when the files
 * are damaged, WM_CERTS_UNWRITABLE when nothing can be stored.
 */
export async function openAuthority(folder = authorityFolder(), now = Date.now()): Promise<OpenedAuthority> {
  prepareFolder(folder);
  const stored = latestPair(folder);
  if (stored === undefined) return make(folder, 1, now, "created");
  const authority = await load(folder, stored.text);
  if (authority.notAfter.getTime() - now > RENEW_DAYS * DAY_MS) return { authority, event: "loaded" };
  return make(folder, stored.generation + 1, now, "renewed");
}

/** Makes another authority in the place of the one that is there; what trusted the old one has to be told of it. Throws as `openAuthority`. */
export async function rotateAuthority(folder = authorityFolder(), now = Date.now()): Promise<Authority> {
  prepareFolder(folder);
  const { authority } = await make(folder, (latestGeneration(folder) ?? 0) + 1, now, "renewed");
  return authority;
}

async function make(
  folder: string,
  generation: number,
  now: number,
  event: "created" | "renewed",
): Promise<OpenedAuthority> {
  const keys = await newKeyPair();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: newSerial(),
    name: await subjectFor(keys.publicKey),
    notBefore: wholeSeconds(now - DAY_MS),
    notAfter: wholeSeconds(now + LIFETIME_DAYS * DAY_MS),
    signingAlgorithm: ECDSA_SHA256,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  const text = `${await privateKeyPem(keys.privateKey)}${certificate.toString("pem")}\n`;
  // Another process may have stored its own in the meantime; what stands on disk is what counts.
  const agreed = storePair(folder, generation, text);
  const authority = await load(folder, agreed);
  removeOlder(folder, generation);
  return { authority, event: agreed === text ? event : "loaded" };
}

/** The name carries part of the key's hash, so that two authorities in one trust store are never mistaken. */
async function subjectFor(publicKey: webcrypto.CryptoKey): Promise<string> {
  const spki = await webcrypto.subtle.exportKey("spki", publicKey);
  const digest = Buffer.from(await webcrypto.subtle.digest("SHA-256", spki));
  return `CN=waymark local CA ${digest.toString("hex", 0, 4)}, O=waymark`;
}

async function load(folder: string, text: string): Promise<Authority> {
  const { certificate, signingKey } = await readPair(folder, text);
  const certPem = `${certificate.toString("pem")}\n`;
  const certFile = join(folder, CERTIFICATE_FILE);
  writeWhole(certFile, certPem);
  const thumbprint = Buffer.from(await certificate.getThumbprint("SHA-256"))
    .toString("hex")
    .toUpperCase();
  return {
    folder,
    certPem,
    certFile,
    subject: certificate.subject,
    notAfter: certificate.notAfter,
    fingerprint: thumbprint.replace(/(..)(?=.)/g, "$1:"),
    certificate,
    signingKey,
  };
}

async function readPair(
  folder: string,
  text: string,
): Promise<{ certificate: x509.X509Certificate; signingKey: webcrypto.CryptoKey }> {
  try {
    const key = pemBlock(text, "PRIVATE KEY");
    const certificate = new x509.X509Certificate(pemBlock(text, "CERTIFICATE"));
    const raw = x509.PemConverter.decodeFirst(key);
    const signingKey = await webcrypto.subtle.importKey("pkcs8", raw, P256, false, ["sign"]);
    await provePair(certificate, signingKey);
    return { certificate, signingKey };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw certsFault("WM_CERTS_UNREADABLE", `the certificate authority in "${folder}" is damaged: ${why}`, cause);
  }
}

function pemBlock(text: string, label: string): string {
  const start = text.indexOf(`-----BEGIN ${label}-----`);
  const last = `-----END ${label}-----`;
  const end = text.indexOf(last, start);
  if (start < 0 || end < 0) throw new Error(`its file has no whole ${label.toLowerCase()}`);
  return text.slice(start, end + last.length);
}

async function provePair(certificate: x509.X509Certificate, signingKey: webcrypto.CryptoKey): Promise<void> {
  const proof = Buffer.from("waymark");
  const signature = await webcrypto.subtle.sign(ECDSA_SHA256, signingKey, proof);
  const publicKey = (await certificate.publicKey.export(P256, ["verify"])) as webcrypto.CryptoKey;
  if (!(await webcrypto.subtle.verify(ECDSA_SHA256, publicKey, signature, proof))) {
    throw new Error("its key does not belong to its certificate");
  }
  if (!(await certificate.verify({ signatureOnly: true }))) throw new Error("its certificate is not signed by itself");
}

function certsFault(code: FaultCode, message: string, cause: unknown): WaymarkError {
  return new WaymarkError(fault(code, message), { cause });
}
