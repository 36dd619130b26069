import { posix, win32 } from "node:path";
import { findProgram, type Whence } from "./command.ts";

/** Names in PATH, best first. */
const NAMES = [
  "google-chrome",
  "google-chrome-stable",
  "chromium",
  "chromium-browser",
  "chrome",
  "microsoft-edge",
  "microsoft-edge-stable",
  "brave-browser",
];
const MAC_APPS = ["Google Chrome", "Chromium", "Microsoft Edge", "Brave Browser"];
const WINDOWS_PLACES = [
  ["Google", "Chrome", "Application", "chrome.exe"],
  ["Chromium", "Application", "chrome.exe"],
  ["Microsoft", "Edge", "Application", "msedge.exe"],
];

/**
 * A browser of the Chromium family on this machine: the one CHROME_PATH names, one in PATH, else where installers put them
 * on macOS and Windows. Undefined when there is none.
 */
export function findBrowser(whence: Whence): string | undefined {
  return candidates(whence)
    .map((name) => findProgram(name, whence))
    .find((file) => file !== undefined);
}

function candidates({ env, platform = process.platform }: Whence): string[] {
  const named = env["CHROME_PATH"];
  return [...(named ? [named] : []), ...NAMES, ...installed(platform, env)];
}

function installed(platform: NodeJS.Platform, env: Whence["env"]): string[] {
  if (platform === "darwin") {
    return ["/Applications", posix.join(env["HOME"] ?? "", "Applications")].flatMap((folder) =>
      MAC_APPS.map((app) => posix.join(folder, `${app}.app`, "Contents", "MacOS", app)),
    );
  }
  if (platform !== "win32") return [];
  const roots = ["ProgramFiles", "ProgramFiles(x86)", "LOCALAPPDATA"].flatMap((name) => env[name] || []);
  return roots.flatMap((root) => WINDOWS_PLACES.map((parts) => win32.join(root, ...parts)));
}
