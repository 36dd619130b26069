import type { Runtime } from "./runtime.ts";

/** requests reads REQUESTS_CA_BUNDLE and then CURL_CA_BUNDLE, never SSL_CERT_FILE; urllib and httpx follow OpenSSL. */
export const python: Runtime = {
  name: "python",
  variables: ({ bundleFile }) => [
    ["REQUESTS_CA_BUNDLE", bundleFile],
    ["PIP_CERT", bundleFile],
    ["HTTPLIB2_CA_CERTS", bundleFile],
  ],
};
