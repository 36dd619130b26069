/** Shells `waymark env` can write for. */
export const SHELLS = ["bash", "zsh", "fish", "pwsh", "cmd"] as const;
export type Shell = (typeof SHELLS)[number];

export interface TrustPaths {
  /** Address of the proxy as a URL, such as `http://127.0.0.1:8899`. */
  readonly proxyUrl: string;
  /** The authority's certificate alone. */
  readonly certFile: string;
  /** Roots and authority merged. */
  readonly bundleFile: string;
  /** NODE_EXTRA_CA_CERTS as it stands; when it names another file, Node gets the bundle, which holds that file too. */
  readonly currentExtraCa?: string | undefined;
}

export type Variables = readonly (readonly [name: string, value: string])[];

const PROXY = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "grpc_proxy"];

/** Variables that replace a program's trust store; one that is forgotten wins when it is already set. */
const REPLACE = [
  "SSL_CERT_FILE", // OpenSSL, Python's ssl, Ruby, Go and .NET on Linux, curl
  "REQUESTS_CA_BUNDLE", // Python requests
  "CURL_CA_BUNDLE",
  "GIT_SSL_CAINFO",
  "AWS_CA_BUNDLE",
  "CARGO_HTTP_CAINFO",
  "PERL_LWP_SSL_CA_FILE",
  "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
  "PIP_CERT",
  "NIX_SSL_CERT_FILE",
  "HTTPLIB2_CA_CERTS",
  "CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE",
];

const EMPTIED = ["NO_PROXY", "no_proxy", "no_grpc_proxy"];

/**
 * What to set so that programs go through the proxy and trust its authority (FORMATS.md section 7.3). An inherited
 * NO_PROXY would hide traffic, so it is emptied. NODE_USE_ENV_PROXY does nothing before Node 22.21 and 24.0.
 */
export function trustVariables({ proxyUrl, certFile, bundleFile, currentExtraCa = "" }: TrustPaths): Variables {
  const isOurs = currentExtraCa === "" || currentExtraCa === certFile;
  return [
    ...PROXY.map((name) => [name, proxyUrl] as const),
    ...EMPTIED.map((name) => [name, ""] as const),
    ["NODE_USE_ENV_PROXY", "1"],
    ["NODE_EXTRA_CA_CERTS", isOurs ? certFile : bundleFile],
    ["DENO_CERT", certFile],
    ...REPLACE.map((name) => [name, bundleFile] as const),
  ];
}

/** The variables as commands of a shell, one a line, quoted so that the shell reads each value back unchanged. */
export function renderVariables(variables: Variables, shell: Shell): string {
  const write = WRITERS[shell];
  return `${variables.map(([name, value]) => write(name, value)).join(shell === "cmd" ? "\r\n" : "\n")}\n`;
}

const WRITERS: Readonly<Record<Shell, (name: string, value: string) => string>> = {
  bash: sh,
  zsh: sh,
  fish: (name, value) => `set -gx ${name} '${value.replace(/[\\']/g, "\\$&")}'`,
  // PowerShell takes typographic single quotes for quotes too, and doubles any of them to escape it.
  pwsh: (name, value) => `$env:${name} = '${value.replace(/['\u2018-\u201b]/g, "$&$&")}'`,
  // Within set "..." only the percent sign is special in a batch file; a value cannot hold a line break or a quote.
  cmd: (name, value) => `set "${name}=${value.replaceAll("%", "%%").replace(/["\r\n]/g, "")}"`,
};

function sh(name: string, value: string): string {
  return `export ${name}='${value.replaceAll("'", "'\\''")}'`;
}
