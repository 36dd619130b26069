import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A self-signed certificate whose key nobody has; it is only ever parsed. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBLjCB2QIUTycPqUNrg22uRzvBiBfwNW8uFHIwDQYJKoZIhvcNAQELBQAwGTEX
MBUGA1UEAwwOd2F5bWFyayB1bnVzZWQwHhcNMjYxMTMwMDI1MzU3WhcNMzYxMTI3
MDI1MzU3WjAZMRcwFQYDVQQDDA53YXltYXJrIHVudXNlZDBcMA0GCSqGSIb3DQEB
AQUAA0sAMEgCQQCa8zdgOkguquHxWDkNq+OS1Nwf1LzNTsBNdCHOvWU/Uk0S9ZxE
16/c3MLFpR8UPulHXvNHU5JR7qXUHtuD15DNAgMBAAEwDQYJKoZIhvcNAQELBQAD
QQANFjwHZqvsd+FxpUjsHh9DfdMPFvwdLL0CcrpH6UPzYRRpR8/ELE3bVa6E+gqw
1cO6xIurG3UN32vSvbmtohZ5
-----END CERTIFICATE-----
`;

/**
 * Fills a folder with what http-mitm-proxy wants to find in its `sslCaDir`: otherwise its `listen` makes an RSA
 * authority, which takes some 100 to 300 ms and can stop everything else. The key here is too short to be of use and does not
 * belong to the certificate, so that nothing could ever be signed with the two.
 */
export function writeUnusedAuthority(folder: string): void {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", {
    modulusLength: 512,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs1", format: "pem" },
  });
  for (const part of ["certs", "keys"]) mkdirSync(join(folder, part));
  writeFileSync(join(folder, "certs", "ca.pem"), CERTIFICATE);
  writeFileSync(join(folder, "keys", "ca.private.key"), privateKey);
  writeFileSync(join(folder, "keys", "ca.public.key"), publicKey);
}
