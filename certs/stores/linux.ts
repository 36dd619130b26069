import { nssStores } from "./nss.ts";
import type { FoundStores, StoreCommand, StoreSurroundings, TrustStore } from "./store.ts";

/** Where `update-ca-certificates` takes further roots from, and the ending they need there. */
const ANCHORS = [
  { folder: "/usr/local/share/ca-certificates", ending: ".crt", who: "Debian, Ubuntu, Alpine" },
  { folder: "/etc/pki/trust/anchors", ending: ".pem", who: "openSUSE" },
] as const;

/** The system's roots, by the tool the distribution has for them, and NSS for the browsers, which do not read those. */
export function linuxStores(surroundings: StoreSurroundings): FoundStores {
  const system = systemStore(surroundings);
  const nss = nssStores(surroundings);
  const hints =
    system === undefined
      ? ["neither update-ca-certificates nor trust (p11-kit) is installed: the system's own roots are left alone"]
      : [];
  return { stores: [...(system === undefined ? [] : [system]), ...nss.stores], hints: [...hints, ...nss.hints] };
}

function systemStore({ isThere, hasProgram }: StoreSurroundings): TrustStore | undefined {
  const place = ANCHORS.find(({ folder }) => isThere(folder));
  if (hasProgram("update-ca-certificates") && place !== undefined) return byUpdate(place);
  return hasProgram("trust") ? byAnchor() : undefined;
}

function byUpdate({ folder, ending }: (typeof ANCHORS)[number]): TrustStore {
  const fileOf = (label: string): string => `${folder}/${label.replaceAll(" ", "-")}${ending}`;
  return {
    id: "system",
    what: `the system's roots in ${folder}: curl, Python, Go, .NET, git and what else follows OpenSSL, for every user`,
    add: ({ file, label }) => [root("install", "-m", "644", file, fileOf(label)), root("update-ca-certificates")],
    remove: ({ label }) => [root("rm", "-f", fileOf(label)), root("update-ca-certificates", "--fresh")],
  };
}

/** p11-kit's tool, on Fedora, RHEL and Arch. */
function byAnchor(): TrustStore {
  return {
    id: "system",
    what: "the system's roots by p11-kit: curl, Python, Go, .NET, git, browsers, for every user",
    add: ({ file }) => [root("trust", "anchor", "--store", file)],
    remove: ({ file }) => [root("trust", "anchor", "--remove", file)],
  };
}

function root(...command: readonly string[]): StoreCommand {
  return { command, asRoot: true };
}
