import { type Authority, rotateAuthority } from "../certs/authority.ts";
import { trustStores } from "../certs/stores/index.ts";
import { addEntry, removeEntry, storedCertificate, type TrustEntry, trustEntries } from "../certs/stores/ledger.ts";
import { asRun, commandLine, perform } from "../certs/stores/perform.ts";
import type { StoreCommand, TrustStore } from "../certs/stores/store.ts";
import { asText, plural } from "../grader/report/text.ts";
import { waymarkError } from "../proxy/record/fault.ts";
import { didYouMean } from "../proxy/record/near.ts";
import { confirm } from "./confirm.ts";
import type { Terminal } from "./terminal.ts";
import type { Arguments } from "./verb.ts";

export interface CaOrder {
  readonly authority: Authority;
  readonly args: Arguments;
  readonly terminal: Terminal;
}

/** What is done to one store, and what is then written down. */
interface Deed {
  readonly store: string;
  readonly what: string;
  readonly commands: readonly StoreCommand[];
  /** Run when one of the commands fails, so that nothing is left half done; what they say is of no matter. */
  readonly undo?: readonly StoreCommand[];
  done(): void;
}

/** `waymark ca trust`: into every store of this machine, or those of `--store`, that does not hold it yet. */
export async function trust(order: CaOrder): Promise<number> {
  const { authority, args, terminal } = order;
  const { stores, hints } = trustStores({ env: terminal.env });
  for (const hint of hints) terminal.err(`waymark: ${asText(hint)}\n`);
  const certificate = storedCertificate(authority);
  const held = trustEntries(authority.folder).filter((entry) => entry.certificate.sha1 === certificate.sha1);
  const deeds = chosen(stores, args)
    .filter(({ id }) => held.every(({ store }) => store !== id))
    .map((store): Deed => {
      const entry = { store: store.id, certificate, at: new Date().toISOString() };
      const commands = store.add(certificate);
      const undo = store.remove(certificate);
      return { store: store.id, what: store.what, commands, undo, done: () => addEntry(authority.folder, entry) };
    });
  if (deeds.length === 0) return tell(order, [], stores.length === 0 ? "no store to put it into" : "trusted already");
  return carryOut(order, deeds, {
    question: "Whoever gets hold of the authority's key can then read this machine's traffic. Trust it?",
    said: "trusted; `waymark ca untrust` takes it out again",
  });
}

/** `waymark ca untrust`: out of every store that the ledger names, or those of `--store`. */
export async function untrust(order: CaOrder): Promise<number> {
  const deeds = removals(order, order.args.list("store"));
  if (deeds.length === 0) return tell(order, [], "waymark put it into no store");
  return carryOut(order, deeds, { question: "Take it out?", said: "no longer trusted" });
}

/** `waymark ca rotate`: another authority; the old one leaves the stores it was put into and the new one takes its place there. */
export async function rotate(order: CaOrder): Promise<number> {
  const { authority, args, terminal } = order;
  const entries = trustEntries(authority.folder);
  const deeds = removals(order, []);
  const until = authority.notAfter.toISOString().slice(0, 10);
  terminal.err(`${asText(authority.subject)} (valid until ${until}) is replaced, and its key removed\n`);
  terminal.err(
    "what was started with it trusts it until it is started anew, a proxy that runs signs with it until then\n",
  );
  const question = `Make another authority${entries.length === 0 ? "" : `, also in ${plural(entries.length, "store")}`}?`;
  const removed = await carryOut(order, deeds, { question, said: "the old one is out of the stores" });
  if (removed !== 0 || args.flag("dry-run") === true) return removed;
  const made = await rotateAuthority(authority.folder);
  terminal.err(`waymark made a certificate authority: ${made.certFile} (${made.fingerprint})\n`);
  const stores = trustStores({ env: terminal.env }).stores.filter(({ id }) =>
    entries.some(({ store }) => store === id),
  );
  if (stores.length === 0) return 0;
  const certificate = storedCertificate(made);
  for (const store of stores) {
    await perform(store.add(certificate));
    addEntry(made.folder, { store: store.id, certificate, at: new Date().toISOString() });
  }
  return 0;
}

/** A store that is no longer there (a removed profile) has nothing to take out of. */
function removals({ authority, terminal }: CaOrder, wanted: readonly string[]): Deed[] {
  const { stores } = trustStores({ env: terminal.env });
  const entries = trustEntries(authority.folder);
  return entries
    .filter(({ store }) => wanted.length === 0 || wanted.includes(store))
    .map((entry) => removal(entry, stores, authority.folder));
}

function removal(entry: TrustEntry, stores: readonly TrustStore[], folder: string): Deed {
  const store = stores.find(({ id }) => id === entry.store);
  return {
    store: entry.store,
    what: store?.what ?? "this store is gone; only the note of it is removed",
    commands: store?.remove(entry.certificate) ?? [],
    done: () => removeEntry(folder, entry),
  };
}

function chosen(stores: readonly TrustStore[], args: Arguments): readonly TrustStore[] {
  const wanted = args.list("store");
  const known = stores.map(({ id }) => id);
  const unknown = wanted.find((id) => !known.includes(id));
  if (unknown !== undefined) {
    throw waymarkError("WM_USAGE", `--store got "${unknown}", which is no store here${didYouMean(unknown, known)}`, {
      fix: known.length === 0 ? "There is none on this machine." : `Known: ${known.join(", ")}.`,
    });
  }
  return wanted.length === 0 ? stores : stores.filter(({ id }) => wanted.includes(id));
}

async function carryOut(
  order: CaOrder,
  deeds: readonly Deed[],
  { question, said }: { readonly question: string; readonly said: string },
): Promise<number> {
  const { args, terminal } = order;
  for (const { what, commands } of deeds) {
    terminal.err(`${asText(what)}\n`);
    for (const command of commands) terminal.err(`    ${asText(commandLine(asRun(command)))}\n`);
  }
  if (args.flag("dry-run") === true) return tell(order, deeds, "nothing was run (--dry-run)");
  if (!(await confirm(question, args, terminal))) {
    terminal.err("nothing was changed\n");
    return 1;
  }
  for (const deed of deeds) await carryOutOne(deed);
  return tell(order, deeds, said);
}

async function carryOutOne({ commands, undo, done }: Deed): Promise<void> {
  try {
    await perform(commands);
  } catch (cause) {
    if (undo !== undefined) await perform(undo).catch(() => undefined);
    throw cause;
  }
  done();
}

function tell({ args, terminal }: CaOrder, deeds: readonly Deed[], said: string): number {
  if (args.flag("json")) {
    const stores = deeds.map(({ store, commands }) => ({ id: store, commands: commands.map((one) => asRun(one)) }));
    terminal.out(`${JSON.stringify({ schema: "waymark.ca-stores/1", stores, said })}\n`);
  } else if (args.flag("quiet") !== true) terminal.err(`${said}\n`);
  return 0;
}
