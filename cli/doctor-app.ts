import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openAuthority } from "../certs/authority.ts";
import { writeBundle } from "../certs/bundle.ts";
import { paintFor } from "../grader/report/paint.ts";
import { asText } from "../grader/report/text.ts";
import { type LaunchEnd, launch, launchEnvironment } from "../proxy/launch/index.ts";
import { waymarkError } from "../proxy/record/fault.ts";
import type { Session } from "../proxy/session.ts";
import { findingsOf, type HostFinding } from "./host-findings.ts";
import { checkSign, hostTable } from "./host-table.ts";
import { watchHosts } from "./host-watch.ts";
import { openSession } from "./proxy.ts";
import { durationMs } from "./quantities.ts";
import type { Terminal } from "./terminal.ts";
import type { Arguments } from "./verb.ts";

/**
 * Starts a command under a proxy that opens every host, waits for its end (or `--timeout`), and says host by host what
 * became of it, with what to do. 0 when something was read and nothing was refused, else 1.
 */
export async function doctorApp(args: Arguments, terminal: Terminal): Promise<number> {
  if (args.usualCommand().length === 0) {
    throw waymarkError("WM_USAGE", "waymark doctor --app needs a command", {
      fix: "Such as `waymark doctor --app -- node agent.js`.",
    });
  }
  const folder = mkdtempSync(join(tmpdir(), "waymark-doctor-"));
  const watch = watchHosts();
  try {
    const log = { dir: join(folder, "log"), name: "doctor", maxFileBytes: 64_000_000 };
    const session = await openSession(args, terminal, { options: { log, all: true, port: 0 }, around: watch.around });
    const end = await runUnder(session, { args, terminal, folder });
    const counts = await session.close();
    const findings = findingsOf(await watch.seen(counts, log.dir));
    return tell({ findings, end, connections: counts.intercept.connections }, args, terminal);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Surroundings {
  readonly args: Arguments;
  readonly terminal: Terminal;
  readonly folder: string;
}

async function runUnder(session: Session, { args, terminal, folder }: Surroundings): Promise<LaunchEnd> {
  const { authority } = await openAuthority();
  const { host, port } = session.address;
  const { env, temporary } = launchEnvironment({
    base: terminal.env,
    proxyUrl: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
    certFile: authority.certFile,
    bundleFile: writeBundle(authority),
    folder,
    extra: { WAYMARK_ACTIVE: "1" },
  });
  try {
    const { ended } = launch({
      command: args.usualCommand(),
      env,
      stdoutFile: join(folder, "stdout.txt"),
      stderrFile: join(folder, "stderr.txt"),
      timeoutMs: durationMs("timeout", args.text("timeout") ?? "60s"),
      onOutput: (_, chunk) => {
        if (args.flag("verbose")) terminal.err(chunk.toString("utf8"));
      },
    });
    return await ended;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

interface Outcome {
  readonly findings: readonly HostFinding[];
  readonly end: LaunchEnd;
  readonly connections: number;
}

function tell({ findings, end, connections }: Outcome, args: Arguments, terminal: Terminal): number {
  const isRefused = findings.some(({ finding }) => finding === "pinned");
  const isRead = findings.some(({ requests }) => requests > 0);
  const ok = isRead && !isRefused && end.kind !== "failed";
  if (args.flag("json")) {
    terminal.out(`${JSON.stringify({ schema: "waymark.doctor-app/1", ok, end, connections, hosts: findings })}\n`);
    return ok ? 0 : 1;
  }
  const paint = paintFor(terminal.colour);
  terminal.out(`${asText(args.usualCommand().join(" "))}: ${endText(end)}\n${hostTable(findings, paint)}`);
  if (end.kind === "failed") terminal.out(`${checkSign("bad", paint)} the command could not be started\n`);
  else if (connections === 0)
    terminal.out(`${checkSign("bad", paint)} no connection reached the proxy\n    → ${UNPROXIED}\n`);
  return ok ? 0 : 1;
}

const UNPROXIED =
  "the app ignores proxy variables: see docs/launching.md for its runtime; QUIC and sockets of its own pass every proxy by; Electron apps can be built so that no switch or preload reaches them";

function endText(end: LaunchEnd): string {
  switch (end.kind) {
    case "exited":
      return `exited with ${end.code}`;
    case "killed":
      return `ended by ${end.signal}`;
    case "timeout":
      return `stopped after ${Math.round(end.afterMs / 1000)} s, as --timeout says`;
    default:
      return asText(end.reason);
  }
}
