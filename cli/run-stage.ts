import { asText } from "../grader/report/text.ts";
import { MAX_BODY_BYTES, TICK_MS } from "./proxy.ts";
import type { RunSettings } from "./run.ts";
import { recorderFor } from "./run-accounting.ts";
import type { ProgressView } from "./run-progress.ts";
import { createStage, type Stage } from "./stage.ts";
import { mendSystemSettings } from "./system-settings.ts";

/** The stage a command line asks for: its scope, its authority, its time limit. */
export async function stageFor(
  { terminal, capture, timeoutMs, evidence, authorityFolder }: RunSettings,
  view: ProgressView,
): Promise<Stage> {
  const [{ openAuthority }, { createCertificateFor }, { announceAuthority }] = await Promise.all([
    import("../certs/authority.ts"),
    import("../certs/leaf.ts"),
    import("./authority-news.ts"),
  ]);
  const { authority, event } = await openAuthority(authorityFolder);
  if (authorityFolder === undefined) announceAuthority(authority, event, terminal);
  await mendSystemSettings(terminal);
  const told = new Set<string>();
  const tell = (text: string): void => {
    // Every run has a proxy and a recorder of its own, and each of them would say it anew.
    if (!told.has(text)) view.say(`waymark: ${text.split("\n").map(asText).join("\n")}\n`);
    told.add(text);
  };
  const record = recorderFor(evidence, tell);
  return createStage({
    authority,
    certificateFor: createCertificateFor(authority),
    ...capture,
    maxBodyBytes: MAX_BODY_BYTES,
    tickMs: TICK_MS,
    timeoutMs,
    base: terminal.env,
    ...(record === undefined ? {} : { record }),
    onTrouble: tell,
  });
}
