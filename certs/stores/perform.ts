import { spawn } from "node:child_process";
import { waymarkError } from "../../proxy/record/fault.ts";
import type { StoreCommand } from "./store.ts";

/** The command as it is run: with `sudo` before it where it needs the administrator and this user is not. */
export function asRun({ command, asRoot }: StoreCommand, uid = process.getuid?.() ?? 0): readonly string[] {
  return asRoot === true && uid !== 0 ? ["sudo", ...command] : command;
}

/** A command as a line to read, or to paste into a POSIX shell. */
export function commandLine(command: readonly string[]): string {
  return command
    .map((word) => (/^[\w@%+=:,./\\-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(" ");
}

/**
 * Runs the commands one after the other; the first that fails ends it. `sudo` asks for its password on the terminal. Throws
 * WM_CERTS_STORE with what the command said.
 */
export async function perform(commands: readonly StoreCommand[], env = process.env): Promise<void> {
  for (const one of commands) {
    const command = asRun(one);
    const said = await outputOf(command, env);
    if (said.ok || (one.mayBeGone === true && GONE.test(said.text))) continue;
    throw waymarkError(
      "WM_CERTS_STORE",
      `${commandLine(command)}: ${said.text.trim() || "it failed and said nothing"}`,
    );
  }
}

/** NSS's certutil; Apple's security; Windows' certutil (CRYPT_E_NOT_FOUND). */
const GONE = /could not find cert|could not be found|0x80092004/i;
const MAX_SAID = 4000;

function outputOf(command: readonly string[], env: NodeJS.ProcessEnv): Promise<{ ok: boolean; text: string }> {
  const [program = "", ...args] = command;
  // tools for the administrator stand where a user's PATH often does not look
  const more = process.platform === "win32" ? {} : { PATH: `${env["PATH"] ?? ""}:/usr/sbin:/sbin` };
  return new Promise((resolve) => {
    const child = spawn(program, args, { env: { ...env, ...more }, stdio: ["inherit", "pipe", "pipe"] });
    let text = "";
    const listen = (chunk: Buffer): void => {
      text = (text + chunk.toString("utf8")).slice(-MAX_SAID);
    };
    child.stdout.on("data", listen);
    child.stderr.on("data", listen);
    child.on("error", (cause) => resolve({ ok: false, text: cause.message }));
    child.on("close", (code) => resolve({ ok: code === 0, text }));
  });
}
