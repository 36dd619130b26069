import { accessSync, constants, existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { linuxStores } from "./linux.ts";
import { macosStores } from "./macos.ts";
import type { FoundStores, StoreSurroundings } from "./store.ts";
import { windowsStores } from "./windows.ts";

/** The stores of this machine that waymark can put its authority into; other systems have none. */
export function trustStores(changes: Partial<StoreSurroundings> = {}): FoundStores {
  const surroundings = { ...hereAndNow(changes.env ?? process.env), ...changes };
  switch (surroundings.platform) {
    case "linux":
      return linuxStores(surroundings);
    case "darwin":
      return macosStores(surroundings);
    case "win32":
      return windowsStores(surroundings);
    default:
      return { stores: [], hints: [`no store of ${surroundings.platform} is known to waymark`] };
  }
}

function hereAndNow(env: StoreSurroundings["env"]): StoreSurroundings {
  return {
    platform: process.platform,
    home: env["HOME"] || homedir(),
    env,
    isThere: existsSync,
    hasProgram: (name) => searchPath(env).some((folder) => isProgram(join(folder, name))),
    list: (folder) => {
      try {
        return readdirSync(folder);
      } catch {
        return []; // no such program was ever used here
      }
    },
  };
}

/** PATH, and where tools for the administrator stand, which a user's PATH often leaves out. */
function searchPath(env: StoreSurroundings["env"]): string[] {
  return [...(env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/sbin"].filter((folder) => folder !== "");
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
