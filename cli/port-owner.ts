import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer, type Server } from "node:net";

/** Whether a port of loopback can be listened on. */
export async function isFree(port: number): Promise<boolean> {
  const server: Server = createServer();
  return new Promise((done) => {
    server.once("error", () => done(false));
    server.listen(port, "127.0.0.1", () => server.close(() => done(true)));
  });
}

const HEX_LISTEN = "0A";

/** Who listens on a port, from Linux's own tables; undefined elsewhere, and for the programs of others. */
export function ownerOf(port: number): string | undefined {
  try {
    const hex = port.toString(16).toUpperCase().padStart(4, "0");
    const rows = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((file) =>
      existsSync(file) ? readFileSync(file, "utf8").split("\n") : [],
    );
    const row = rows
      .map((line) => line.trim().split(/\s+/))
      .find(([, local, , state]) => local?.endsWith(`:${hex}`) && state === HEX_LISTEN);
    const inode = row?.[9];
    if (inode === undefined) return undefined;
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      if (holdsSocket(pid, inode)) return `${readFileSync(`/proc/${pid}/comm`, "utf8").trim()} (process ${pid})`;
    }
  } catch {
    // no such tables on this system
  }
  return undefined;
}

function holdsSocket(pid: string, inode: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      const { ino } = statSync(`/proc/${pid}/fd/${fd}`);
      return String(ino) === inode;
    });
  } catch {
    return false; // the process of somebody else, or gone
  }
}
