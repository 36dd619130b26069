import type { Runtime } from "./runtime.ts";

/** The command line tools and SDKs of AWS and Google Cloud. */
export const clouds: Runtime = {
  name: "clouds",
  variables: ({ bundleFile }) => [
    ["AWS_CA_BUNDLE", bundleFile],
    ["CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE", bundleFile],
  ],
};
