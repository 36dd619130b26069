import "reflect-metadata";
import { webcrypto } from "node:crypto";
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";

/** PEM key and self-signed certificate of a loopback server; trust the certificate itself to trust the server. */
export interface LoopbackCertificate {
  readonly key: string;
  readonly cert: string;
}

/** A fresh P-256 certificate for the DNS names given, 127.0.0.1 and ::1, valid for a day around now. */
export async function loopbackCertificate(
  names: readonly string[],
  usage: "server" | "client" = "server",
): Promise<LoopbackCertificate> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const keys = (await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"])) as webcrypto.CryptoKeyPair;
  const now = Date.now();
  const hour = 3_600_000;
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: "CN=loopback test server",
    notBefore: new Date(now - hour),
    notAfter: new Date(now + 24 * hour),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new ExtendedKeyUsageExtension([usage === "server" ? ExtendedKeyUsage.serverAuth : ExtendedKeyUsage.clientAuth]),
      new SubjectAlternativeNameExtension([
        ...names.map((value) => ({ type: "dns" as const, value })),
        { type: "ip" as const, value: "127.0.0.1" },
        { type: "ip" as const, value: "::1" },
      ]),
    ],
  });
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey));
  const lines = pkcs8.toString("base64").replace(/.{64}/g, "$&\n").trimEnd();
  return {
    key: `-----BEGIN PRIVATE KEY-----\n${lines}\n-----END PRIVATE KEY-----\n`,
    cert: certificate.toString("pem"),
  };
}
