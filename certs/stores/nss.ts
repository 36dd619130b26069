import { posix } from "node:path";
import type { FoundStores, StoreCommand, StoreSurroundings, TrustStore } from "./store.ts";

/** Below a home: where Firefox keeps its profiles, as a package, in a snap, in a flatpak. */
const FIREFOX = [
  ".mozilla/firefox",
  "snap/firefox/common/.mozilla/firefox",
  ".var/app/org.mozilla.firefox/.mozilla/firefox",
];

/**
 * NSS databases of this user, which Chromium's family and Firefox read on Linux instead of the system's roots. The shared
 * one is made when it is not there yet. NSS's `certutil` writes them; without it there is a hint only.
 */
export function nssStores(surroundings: StoreSurroundings): FoundStores {
  const { home, hasProgram } = surroundings;
  const profiles = firefoxProfiles(surroundings);
  if (!hasProgram("certutil")) {
    const who = ["Chromium's family", ...(profiles.length > 0 ? ["Firefox"] : [])].join(" and ");
    return { stores: [], hints: [`install NSS's certutil (libnss3-tools, nss-tools) to reach ${who}`] };
  }
  const shared = posix.join(home, ".pki", "nssdb");
  const all = [{ id: "nss", folder: shared, who: "Chromium, Chrome, Edge and their like, for this user" }];
  for (const folder of profiles) all.push({ id: `nss:${folder}`, folder, who: "one profile of Firefox" });
  return { stores: all.map((one) => nssStore(one, surroundings)), hints: [] };
}

function nssStore(
  { id, folder, who }: { readonly id: string; readonly folder: string; readonly who: string },
  { isThere }: StoreSurroundings,
): TrustStore {
  const database = `sql:${folder}`;
  const make: StoreCommand[] = isThere(posix.join(folder, "cert9.db"))
    ? []
    : [{ command: ["mkdir", "-p", folder] }, { command: ["certutil", "-N", "-d", database, "--empty-password"] }];
  return {
    id,
    what: `the NSS database in ${folder}: ${who}`,
    add: ({ file, label }) => [
      ...make,
      { command: ["certutil", "-A", "-d", database, "-t", "C,,", "-n", label, "-i", file] },
    ],
    remove: ({ label }) => [{ command: ["certutil", "-D", "-d", database, "-n", label], mayBeGone: true }],
  };
}

function firefoxProfiles({ home, list, isThere }: StoreSurroundings): string[] {
  return FIREFOX.flatMap((place) => {
    const folder = posix.join(home, place);
    return list(folder)
      .map((name) => posix.join(folder, name))
      .filter((profile) => isThere(posix.join(profile, "cert9.db")));
  });
}
