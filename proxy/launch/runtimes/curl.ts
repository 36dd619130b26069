import type { Runtime } from "./runtime.ts";

export const curl: Runtime = {
  name: "curl",
  variables: ({ bundleFile }) => [["CURL_CA_BUNDLE", bundleFile]],
};
