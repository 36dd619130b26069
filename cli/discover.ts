import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { paintFor } from "../grader/report/paint.ts";
import { asText } from "../grader/report/text.ts";
import { DECODERS } from "../proxy/decoders/index.ts";
import { createScope } from "../proxy/pipeline/scope.ts";
import { findingsOf, type HostFinding, looksLikeTelemetry } from "./host-findings.ts";
import { hostTable } from "./host-table.ts";
import { watchHosts } from "./host-watch.ts";
import { greet, openSession } from "./proxy.ts";
import { untilStopped } from "./signals.ts";
import type { Terminal } from "./terminal.ts";
import type { Arguments } from "./verb.ts";

/**
 * Runs the proxy with every host opened until it is stopped, then says which hosts there were, which look like telemetry, and
 * the options to read them with. What was captured is thrown away.
 */
export async function discover(args: Arguments, terminal: Terminal): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "waymark-discover-"));
  const watch = watchHosts((endpoint) => {
    if (!args.flag("quiet")) terminal.err(`  seen  ${asText(endpoint)}\n`);
  });
  try {
    const log = { dir: folder, name: "discover", maxFileBytes: 64_000_000 };
    const session = await openSession(args, terminal, { options: { log, all: true }, around: watch.around });
    const stopping = untilStopped(terminal, () => session.close());
    greet(session, args, terminal);
    const { exitCode } = await stopping;
    const findings = findingsOf(await watch.seen(await session.close(), folder));
    show(findings, args, terminal);
    return exitCode;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function show(findings: readonly HostFinding[], args: Arguments, terminal: Terminal): void {
  const telemetry = findings.filter(looksLikeTelemetry);
  const flags = hostFlags(telemetry);
  if (args.flag("json")) {
    const hosts = findings.map((finding) => ({ ...finding, telemetry: telemetry.includes(finding) }));
    terminal.out(`${JSON.stringify({ schema: "waymark.hosts/1", hosts, flags })}\n`);
    return;
  }
  if (findings.length === 0) {
    terminal.out('no host was asked for: start the app in a shell after eval "$(waymark env)"\n');
    return;
  }
  terminal.out(hostTable(findings, paintFor(terminal.colour)));
  if (telemetry.length === 0) terminal.out("none of them looks like telemetry\n");
  else if (flags.length === 0) terminal.out("telemetry goes to hosts that waymark opens by itself: waymark proxy\n");
  else terminal.out(`read the telemetry with: waymark proxy ${flags.map(asText).join(" ")}\n`);
}

/** `--host` for each host of telemetry that is not opened anyway. */
function hostFlags(telemetry: readonly HostFinding[]): string[] {
  const decide = createScope({ known: DECODERS.flatMap(({ hosts }) => hosts), hosts: [], all: false, bypass: [] });
  const unknown = telemetry.filter(({ host }) => decide({ host, port: 443 }) !== "intercept");
  return [...new Set(unknown.map(({ host }) => `--host ${host}`))];
}
