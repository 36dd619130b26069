import type { Runtime } from "./runtime.ts";

/**
 * SSL_CERT_FILE replaces OpenSSL's roots, and those of whoever follows OpenSSL: Python's ssl, Ruby, PHP, Go and .NET on
 * Linux, Rust's rustls-native-certs.
 */
export const openssl: Runtime = {
  name: "openssl",
  variables: ({ bundleFile }) => [
    ["SSL_CERT_FILE", bundleFile],
    ["NIX_SSL_CERT_FILE", bundleFile],
  ],
};
