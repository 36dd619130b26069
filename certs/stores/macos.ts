import { posix } from "node:path";
import type { FoundStores, StoreSurroundings } from "./store.ts";

/** This user's login keychain, by Apple's `security`; macOS asks for the user's password itself. */
export function macosStores({ home }: StoreSurroundings): FoundStores {
  const keychain = posix.join(home, "Library", "Keychains", "login.keychain-db");
  return {
    hints: [],
    stores: [
      {
        id: "login-keychain",
        what: "this user's login keychain: Safari, Chrome, Edge, Swift, Go and what else asks macOS",
        add: ({ file }) => [{ command: ["security", "add-trusted-cert", "-r", "trustRoot", "-k", keychain, file] }],
        remove: ({ file, sha1 }) => [
          { command: ["security", "remove-trusted-cert", file], mayBeGone: true },
          { command: ["security", "delete-certificate", "-Z", sha1, keychain], mayBeGone: true },
        ],
      },
    ],
  };
}
