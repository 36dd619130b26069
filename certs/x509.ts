import "reflect-metadata"; // @peculiar/x509 needs it loaded first
import { randomBytes, webcrypto } from "node:crypto";
import * as x509 from "@peculiar/x509";

x509.cryptoProvider.set(webcrypto);

export const P256 = { name: "ECDSA", namedCurve: "P-256" } as const;
export const ECDSA_SHA256 = { name: "ECDSA", hash: "SHA-256" } as const;
export const DAY_MS = 86_400_000;

/** A serial number of 16 bytes, positive and minimal in DER (RFC 5280 section 4.1.2.2), in hexadecimal. */
export function newSerial(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes.toString("hex");
}

/** A fresh P-256 key pair whose private half can be stored. */
export async function newKeyPair(): Promise<webcrypto.CryptoKeyPair> {
  return await webcrypto.subtle.generateKey(P256, true, ["sign", "verify"]);
}

/** The private key as PKCS#8 PEM. */
export async function privateKeyPem(key: webcrypto.CryptoKey): Promise<string> {
  return `${x509.PemConverter.encode(await webcrypto.subtle.exportKey("pkcs8", key), "PRIVATE KEY")}\n`;
}

/** Time without milliseconds, which X.509 cannot hold. */
export function wholeSeconds(timeMs: number): Date {
  return new Date(Math.floor(timeMs / 1000) * 1000);
}

export { x509 };
