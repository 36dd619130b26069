import { STORE_PASSWORD } from "../java-trust-store.ts";
import type { Runtime, RuntimeContext } from "./runtime.ts";

/**
 * Java ignores the environment but for JAVA_TOOL_OPTIONS, which every JVM takes up (and says so on stderr). An empty
 * nonProxyHosts, since its default leaves out loopback.
 */
export const java: Runtime = {
  name: "java",
  variables: (context) => {
    const ours = options(context);
    const given = (context.base["JAVA_TOOL_OPTIONS"] ?? "").replaceAll(ours, "").trim();
    return [["JAVA_TOOL_OPTIONS", given === "" ? ours : `${given} ${ours}`]];
  },
};

function options({ proxyUrl, javaTrustStore }: RuntimeContext): string {
  const { hostname, port } = new URL(proxyUrl);
  const host = hostname.replace(/^\[|\]$/g, "");
  const proxy = ["http", "https"].flatMap((kind) => [
    `-D${kind}.proxyHost=${host}`,
    `-D${kind}.proxyPort=${port || 80}`,
  ]);
  const trust =
    javaTrustStore === undefined
      ? []
      : [
          `-Djavax.net.ssl.trustStore=${javaTrustStore}`,
          "-Djavax.net.ssl.trustStoreType=JKS",
          `-Djavax.net.ssl.trustStorePassword=${STORE_PASSWORD}`,
        ];
  return [...proxy, "-Dhttp.nonProxyHosts=", ...trust].map(quoted).join(" ");
}

/** HotSpot splits at white space and takes either quote; it knows no escapes, so a value cannot hold both quotes. */
function quoted(option: string): string {
  if (!/[\s"']/.test(option)) return option;
  return option.includes('"') ? `'${option}'` : `"${option}"`;
}
