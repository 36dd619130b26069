/** One program to run, with its arguments; shown to the user before it is run. */
export interface StoreCommand {
  readonly command: readonly string[];
  /** It writes where only the administrator may; on Linux `sudo` goes before it unless waymark runs as root. */
  readonly asRoot?: true;
  /** It takes something out; that it is not there (any more) is no failure. */
  readonly mayBeGone?: true;
}

/** The certificate as stores deal with it. */
export interface StoredCertificate {
  /** A PEM file that stays where it is until the certificate is taken out again. */
  readonly file: string;
  /** The name it gets in stores that have names; part of the key's hash stands in it. */
  readonly label: string;
  /** SHA-1 over the certificate in upper-case hex, by which macOS and Windows find it again. */
  readonly sha1: string;
}

/** One place where programs of this machine look for authorities they trust. */
export interface TrustStore {
  /** Kept in the ledger, so it must not change from one version to the next. */
  readonly id: string;
  /** Who trusts the authority once it is in, in words. */
  readonly what: string;
  add(certificate: StoredCertificate): readonly StoreCommand[];
  remove(certificate: StoredCertificate): readonly StoreCommand[];
}

/** What decides which stores there are. */
export interface StoreSurroundings {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** True when a file or folder is there. */
  isThere(path: string): boolean;
  /** True when a program of that name can be run. */
  hasProgram(name: string): boolean;
  /** The names in a folder; none when it cannot be read. */
  list(folder: string): readonly string[];
}

export interface FoundStores {
  readonly stores: readonly TrustStore[];
  /** What would be another store if something were installed; a line for the user each. */
  readonly hints: readonly string[];
}
