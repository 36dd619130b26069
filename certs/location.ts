import { homedir } from "node:os";
import { posix, win32 } from "node:path";

/** What decides where the authority is kept; defaults to this process. */
export interface Surroundings {
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

/**
 * The folder of this user's certificate authority: `WAYMARK_CA_DIR`, else the operating system's own place for
 * application data (XDG Base Directory specification on Linux; Apple's and Microsoft's conventions elsewhere).
 * Never inside a project, so that a key can never be committed.
 */
export function authorityFolder(surroundings: Partial<Surroundings> = {}): string {
  const { platform = process.platform, environment = process.env, home = homedir() } = surroundings;
  const chosen = environment["WAYMARK_CA_DIR"];
  if (chosen !== undefined && chosen !== "") return chosen;
  if (platform === "win32") {
    const local = environment["LOCALAPPDATA"];
    return win32.join(
      local === undefined || local === "" ? win32.join(home, "AppData", "Local") : local,
      "waymark",
      "ca",
    );
  }
  if (platform === "darwin") return posix.join(home, "Library", "Application Support", "waymark", "ca");
  const data = environment["XDG_DATA_HOME"];
  // The specification says that a relative value is to be ignored.
  const base = data?.startsWith("/") === true ? data : posix.join(home, ".local", "share");
  return posix.join(base, "waymark", "ca");
}
