import { createHash, X509Certificate } from "node:crypto";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { waymarkError } from "../../proxy/record/fault.ts";
import type { Authority } from "../authority.ts";
import { writeWhole } from "../vault.ts";
import type { StoredCertificate } from "./store.ts";

const LEDGER = "trusted.json";
const COPIES = "trusted";

/** An authority in a store of this machine, so that it can be taken out again, also when a newer one has its place. */
export interface TrustEntry {
  readonly store: string;
  readonly certificate: StoredCertificate;
  /** ISO 8601. */
  readonly at: string;
}

/** Where authorities of this folder were put, and have not been taken out. Throws WM_CERTS_UNREADABLE. */
export function trustEntries(folder: string): readonly TrustEntry[] {
  const file = join(folder, LEDGER);
  try {
    const entries: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (Array.isArray(entries) && entries.every(isEntry)) return entries;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return [];
  }
  throw waymarkError("WM_CERTS_UNREADABLE", `"${file}", which says where the authority is trusted, is damaged`, {
    fix: "Take the authority out of the stores by hand (docs/trust.md says how), then remove that file.",
  });
}

/** Adds an entry; one for the same store and certificate takes the place of the old. */
export function addEntry(folder: string, entry: TrustEntry): void {
  write(folder, [...trustEntries(folder).filter((one) => !isSame(one, entry)), entry]);
}

/** Removes an entry, and the certificate's copy with the last one that names it. */
export function removeEntry(folder: string, entry: TrustEntry): void {
  const left = trustEntries(folder).filter((one) => !isSame(one, entry));
  write(folder, left);
  if (left.every(({ certificate }) => certificate.sha1 !== entry.certificate.sha1))
    rmSync(entry.certificate.file, { force: true });
}

/** The authority's certificate as stores deal with it: copied to a place of its own, where it outlives the authority. */
export function storedCertificate({ folder, certPem }: Pick<Authority, "folder" | "certPem">): StoredCertificate {
  const { raw, subject } = new X509Certificate(certPem);
  const sha1 = createHash("sha1").update(raw).digest("hex").toUpperCase();
  const file = join(folder, COPIES, `${sha1.slice(0, 16).toLowerCase()}.pem`);
  mkdirSync(join(folder, COPIES), { recursive: true });
  writeWhole(file, certPem);
  return { file, sha1, label: /^CN=(.+)$/m.exec(subject)?.[1] ?? `waymark ${sha1.slice(0, 8)}` };
}

function write(folder: string, entries: readonly TrustEntry[]): void {
  writeWhole(join(folder, LEDGER), `${JSON.stringify(entries, undefined, 2)}\n`);
}

function isSame(a: TrustEntry, b: TrustEntry): boolean {
  return a.store === b.store && a.certificate.sha1 === b.certificate.sha1;
}

function isEntry(value: unknown): value is TrustEntry {
  const { store, certificate, at } = (value ?? {}) as Partial<Record<string, unknown>>;
  const { file, sha1, label } = (certificate ?? {}) as Partial<Record<string, unknown>>;
  return [store, at, file, sha1, label].every((text) => typeof text === "string" && text !== "");
}
