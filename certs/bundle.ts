import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { rootCertificates } from "node:tls";
import type { Authority } from "./authority.ts";
import { writeWhole } from "./vault.ts";

const BUNDLE_FILE = "waymark-bundle.pem";

/** Where systems keep their merged roots; Windows keeps them in a store that OpenSSL's users do not read. */
const SYSTEM_BUNDLES = [
  "/etc/ssl/certs/ca-certificates.crt", // Debian, Ubuntu, Alpine, Arch
  "/etc/pki/tls/certs/ca-bundle.crt", // Fedora, RHEL
  "/etc/ssl/ca-bundle.pem", // openSUSE
  "/etc/ssl/cert.pem", // macOS, BSD
  "/opt/homebrew/etc/ca-certificates/cert.pem",
  "/usr/local/etc/ca-certificates/cert.pem",
];

/** Variables by which a user may already have named roots of an organisation; setting them anew must not lose those. */
const NAMED_BUNDLES = [
  "NODE_EXTRA_CA_CERTS",
  "SSL_CERT_FILE",
  "REQUESTS_CA_BUNDLE",
  "CURL_CA_BUNDLE",
  "GIT_SSL_CAINFO",
  "AWS_CA_BUNDLE",
];

const CERTIFICATE =
  /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[\s\S]+?-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g;

/**
 * Writes roots and authority into one PEM file beside the authority and returns its path. For the variables that
 * replace a program's trust store: pointing those at the authority alone would break every host that is not intercepted.
 */
export function writeBundle(authority: Authority, roots: readonly string[] = trustedRoots()): string {
  const file = join(authority.folder, BUNDLE_FILE);
  const merged = distinct([authority.certPem, ...roots]);
  writeWhole(file, `${merged.join("\n")}\n`);
  return file;
}

/**
 * PEM certificates this machine trusts: Node's built-in roots, the system's bundle file and the files named in the
 * environment. A file that is absent or cannot be read adds nothing; each certificate comes once.
 */
export function trustedRoots(environment: Readonly<Record<string, string | undefined>> = process.env): string[] {
  const named = NAMED_BUNDLES.flatMap((name) => environment[name] ?? []).filter((file) => file !== "");
  const files = new Set([...SYSTEM_BUNDLES, ...named].map((file) => resolve(file)));
  return distinct([...rootCertificates, ...[...files].flatMap(certificatesIn)]);
}

/** The PEM certificates of a text, in order; text between them is left out. */
export function pemCertificates(text: string): string[] {
  return text.match(CERTIFICATE) ?? [];
}

/** True when the text is one or more certificates that can all be parsed. */
export function isCertificateText(text: string): boolean {
  const blocks = pemCertificates(text);
  try {
    return blocks.length > 0 && blocks.every((block) => new X509Certificate(block).subject !== undefined);
  } catch {
    return false;
  }
}

function certificatesIn(file: string): string[] {
  try {
    return pemCertificates(readFileSync(file, "utf8"));
  } catch {
    return []; // absent on this system, or not ours to read: the other sources stand
  }
}

function distinct(blocks: readonly string[]): string[] {
  const seen = new Map<string, string>();
  for (const block of blocks) {
    const body = block.replace(/-----[^-]+-----|\s/g, "");
    if (!seen.has(body)) seen.set(body, block.trim());
  }
  return [...seen.values()];
}
