import { spawn } from "node:child_process";
import { resolve } from "node:path";

/** Opens a file with whatever the system opens it with, and does not wait; a system without such a program does nothing. */
export function openInBrowser(file: string): void {
  const path = resolve(file);
  const [command, ...args] =
    process.platform === "win32"
      ? ["rundll32", "url.dll,FileProtocolHandler", path]
      : [process.platform === "darwin" ? "open" : "xdg-open", path];
  const child = spawn(command ?? "", args, { stdio: "ignore", detached: true });
  child.on("error", () => undefined); // the page stands where its name was printed
  child.unref();
}
