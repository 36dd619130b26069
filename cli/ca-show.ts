import { writeBundle } from "../certs/bundle.ts";
import { trustStores } from "../certs/stores/index.ts";
import { trustEntries } from "../certs/stores/ledger.ts";
import { publicKeyPin } from "../certs/trust.ts";
import { asText } from "../grader/report/text.ts";
import type { CaOrder } from "./ca-trust.ts";

/** `waymark ca show`: the authority, its files, the stores of this machine and which of them hold it. */
export function showAuthority({ authority, args, terminal }: CaOrder): number {
  const { stores, hints } = trustStores({ env: terminal.env });
  const entries = trustEntries(authority.folder);
  const shown = {
    subject: authority.subject,
    fingerprint: authority.fingerprint,
    not_after: authority.notAfter.toISOString(),
    public_key_pin: publicKeyPin(authority.certPem),
    folder: authority.folder,
    certificate: authority.certFile,
    bundle: writeBundle(authority),
    stores: stores.map(({ id, what }) => ({ id, what, trusted: entries.some(({ store }) => store === id) })),
    trusted: entries.map(({ store, at, certificate }) => ({ store, at, certificate: certificate.label })),
    hints,
  };
  if (args.flag("json")) {
    terminal.out(`${JSON.stringify({ schema: "waymark.ca/1", ...shown })}\n`);
    return 0;
  }
  const rows = [
    ["subject", shown.subject],
    ["SHA-256", shown.fingerprint],
    ["valid until", shown.not_after.slice(0, 10)],
    ["key pin", shown.public_key_pin],
    ["certificate", shown.certificate],
    ["with roots", shown.bundle],
  ];
  const lines = rows.map(([name = "", value = ""]) => `${name.padEnd(12)} ${asText(value)}`);
  const marks = shown.stores.map(({ id, what, trusted }) => `  ${trusted ? "✓" : "–"} ${asText(id)}: ${asText(what)}`);
  const notes = hints.map((hint) => `  ▲ ${asText(hint)}`);
  terminal.out(`${[...lines, "trust stores", ...marks, ...notes].join("\n")}\n`);
  return 0;
}
