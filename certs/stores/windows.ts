import { win32 } from "node:path";
import type { FoundStores, StoreSurroundings } from "./store.ts";

/** This user's `Root` store, by Windows' own certutil (NSS has one of the same name); Windows shows a question of its own. */
export function windowsStores({ env }: StoreSurroundings): FoundStores {
  const certutil = win32.join(env["SystemRoot"] ?? "C:\\Windows", "System32", "certutil.exe");
  return {
    hints: [],
    stores: [
      {
        id: "windows-user-root",
        what: "this user's trusted root authorities: Chrome, Edge, .NET, Go, PowerShell and what else asks Windows",
        add: ({ file }) => [{ command: [certutil, "-user", "-addstore", "Root", file] }],
        remove: ({ sha1 }) => [{ command: [certutil, "-user", "-delstore", "Root", sha1], mayBeGone: true }],
      },
    ],
  };
}
