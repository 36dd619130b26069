import type { Runtime } from "./runtime.ts";

export const perl: Runtime = {
  name: "perl",
  variables: ({ bundleFile }) => [["PERL_LWP_SSL_CA_FILE", bundleFile]],
};
