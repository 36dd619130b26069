/** Tags of ASN.1 (X.690 section 8) that a leaf certificate needs. */
export const TAG = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  /** Explicit tags of a TBSCertificate (RFC 5280 section 4.1): its version, its extensions. */
  version: 0xa0,
  extensions: 0xa3,
  /** Implicit tags of a GeneralName (RFC 5280 section 4.2.1.6). */
  dnsName: 0x82,
  ipAddress: 0x87,
} as const;

/** The year from which on a certificate's times are GeneralizedTime (RFC 5280 section 4.1.2.5). */
const GENERALIZED_FROM = 2050;

/** One value in DER: tag, the shortest length, content. */
export function der(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const length = content.reduce((sum, part) => sum + part.length, 0);
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), ...content]);
}

/** An object identifier from its numbers: `oid(2, 5, 4, 3)`; none of them over 16,383 behind the first two. */
export function oid(first: number, second: number, ...rest: readonly number[]): Buffer {
  const bytes = rest.flatMap((arc) => (arc < 0x80 ? [arc] : [0x80 | (arc >> 7), arc & 0x7f]));
  return der(TAG.objectIdentifier, Buffer.from([first * 40 + second, ...bytes]));
}

/** A time as certificates want it, whole seconds. */
export function derTime(time: Date): Buffer {
  const digits = time.toISOString().replace(/[-:T]|\.[0-9]+/g, ""); // 20260301080000Z
  return time.getUTCFullYear() < GENERALIZED_FROM
    ? der(TAG.utcTime, Buffer.from(digits.slice(2)))
    : der(TAG.generalizedTime, Buffer.from(digits));
}
