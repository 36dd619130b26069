import { createHash, X509Certificate } from "node:crypto";

/** Guards nothing: a trust store holds certificates only. It is Java's own default. */
export const STORE_PASSWORD = "changeit";

const MAGIC = 0xfeedfeed;
const VERSION = 2;
const TRUSTED_CERTIFICATE = 2;

/**
 * Certificates as a Java key store (JKS, as `sun.security.provider.JavaKeyStore` writes and reads it), which every Java
 * since 1.2 can use and no tool is needed to make: magic, version, count, then per entry its tag, alias, date, type and
 * DER bytes; at last the SHA-1 of password, a fixed phrase and all before it. A PEM block that is no certificate is left
 * out.
 */
export function javaTrustStore(certificates: readonly string[], now: Date = new Date()): Buffer {
  const ders = certificates.flatMap(derOf);
  const entries = ders.map((der, index) =>
    Buffer.concat([
      uint32(TRUSTED_CERTIFICATE),
      text(`waymark-${index}`),
      date(now),
      text("X.509"),
      uint32(der.length),
      der,
    ]),
  );
  const store = Buffer.concat([uint32(MAGIC), uint32(VERSION), uint32(ders.length), ...entries]);
  const digest = createHash("sha1")
    .update(Buffer.from(STORE_PASSWORD, "utf16le").swap16())
    .update("Mighty Aphrodite")
    .update(store)
    .digest();
  return Buffer.concat([store, digest]);
}

function derOf(pem: string): Buffer[] {
  try {
    return [new X509Certificate(pem).raw];
  } catch {
    return []; // a root that this OpenSSL cannot read; Java gets the others
  }
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function date(value: Date): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt(value.getTime()));
  return bytes;
}

/** `DataOutput.writeUTF` for the plain ASCII used here. */
function text(value: string): Buffer {
  const bytes = Buffer.alloc(2 + value.length);
  bytes.writeUInt16BE(value.length);
  bytes.write(value, 2, "latin1");
  return bytes;
}
