/** The proxy as the preload deals with it. */
export interface ProxyAddress {
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** Value of Proxy-Authorization, when the URL carries credentials. */
  readonly authorization?: string;
}

/** Reads a proxy's URL; undefined when it is absent or cannot be used. */
export function readProxy(url: string | undefined): ProxyAddress | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { protocol, hostname, port, username, password } = new URL(url);
  if (protocol !== "http:") return undefined;
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return {
    url,
    host: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port || 80),
    ...(username === "" ? {} : { authorization: `Basic ${Buffer.from(credentials).toString("base64")}` }),
  };
}
