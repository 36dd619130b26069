import { createHash, X509Certificate } from "node:crypto";

/** Shells `waymark env` can write for. */
export const SHELLS = ["bash", "zsh", "fish", "pwsh", "cmd"] as const;
export type Shell = (typeof SHELLS)[number];

/** Names and values, in the order they are written. */
export type Variables = readonly (readonly [name: string, value: string])[];

/**
 * The base64 SHA-256 of a certificate's public key (its SubjectPublicKeyInfo, RFC 7469 section 2.4), by which Chromium can be
 * told to accept an authority. Throws what node:crypto throws when the PEM text is no certificate.
 */
export function publicKeyPin(certPem: string): string {
  const spki = new X509Certificate(certPem).publicKey.export({ type: "spki", format: "der" });
  return createHash("sha256").update(spki).digest("base64");
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
