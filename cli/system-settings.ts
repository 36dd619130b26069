import { existsSync } from "node:fs";
import { authorityFolder } from "../certs/location.ts";
import { asText } from "../grader/report/text.ts";
import { systemNote, undoLeftover, useSystemProxy } from "../proxy/launch/system/index.ts";
import type { Session } from "../proxy/session.ts";
import type { Terminal } from "./terminal.ts";

export interface SystemSettings {
  /** Puts back what was set before; safe to call more than once. */
  undo(): Promise<void>;
}

/** Sets the system's proxy to a session's; one that cannot be set ends the session. Throws WM_PROXY_SYSTEM. */
export async function systemSettings(session: Session, terminal: Terminal): Promise<SystemSettings> {
  try {
    const settings = await useSystemProxy(session.address, { folder: authorityFolder() });
    terminal.err(`  system     ${settings.what} name this proxy until it ends\n`);
    return settings;
  } catch (cause) {
    await session.close();
    throw cause;
  }
}

/** Puts back system settings that a waymark which died left behind; trouble with that is told and stops nothing. */
export async function mendSystemSettings(terminal: Terminal): Promise<void> {
  const folder = authorityFolder();
  if (!existsSync(systemNote(folder))) return;
  try {
    const said = await undoLeftover({ folder });
    if (said !== undefined) terminal.err(`waymark: ${asText(said)}\n`);
  } catch (cause) {
    terminal.err(`waymark: ${asText(cause instanceof Error ? cause.message : String(cause))}\n`);
  }
}
