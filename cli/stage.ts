import { closeSync, openSync, readSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import type { Authority } from "../certs/authority.ts";
import { writeBundle } from "../certs/bundle.ts";
import type { CertificateFor } from "../certs/leaf.ts";
import type { Hook, Play, Played, PlayHelp, PlayOrder } from "../grader/trials/performance.ts";
import { TELEMETRY_NAME } from "../grader/trials/play.ts";
import type { CaptureCounts, LaunchEnd, TrialArtifact } from "../grader/trials/trial.ts";
import { startInterceptor } from "../proxy/intercept/index.ts";
import { type Session, type SessionCounts, type SessionOptions, startSession } from "../proxy/session.ts";
import { type Launch, launch, launchEnvironment } from "./launching.ts";
import { explainSilence } from "./run-silence.ts";

/** Records a run from outside (video, screenshots) until it is told to stop, and gives what it recorded. */
export type RecordRun = (order: { readonly folder: string; readonly env: Environment }) => {
  stop(): Promise<readonly TrialArtifact[]>;
};
export type Environment = Readonly<{ [name: string]: string | undefined }>;

export interface StageOptions {
  readonly authority: Authority;
  readonly certificateFor: CertificateFor;
  readonly scope: Pick<SessionOptions, "hosts" | "bypass" | "all" | "sink" | "redact">;
  readonly map: SessionOptions["interceptor"]["map"];
  readonly upstreamCa?: string;
  readonly maxBodyBytes: number;
  readonly tickMs: number;
  readonly timeoutMs: number;
  /** The environment every command begins with. */
  readonly base: Environment;
  readonly record?: RecordRun;
  /** Told what goes wrong with records and with connections, a line each. */
  readonly onTrouble: (text: string) => void;
}

/** Where runs are played: each with a proxy on a free port, a log and an environment of its own. */
export interface Stage {
  readonly play: Play;
  /** A hook that runs a command line through the shell; its output goes to `<name>.log` in the run's folder. */
  hook(name: string, commandLine: string): Hook;
}

/** Joins the proxy, the launcher and the recorder. Nothing is kept from one run to the next but the authority. */
export function createStage(options: StageOptions): Stage {
  const bundleFile = writeBundle(options.authority);
  return {
    play: (order, help) => playUnderProxy({ ...options, bundleFile }, order, help),
    hook: (name, commandLine) => async (order, help) => {
      const file = join(order.places.folder, `${name}.log`);
      const { timeoutMs, base } = options;
      const running = launch({
        command: shellCommand(commandLine),
        env: { ...base, ...order.env },
        stdoutFile: file,
        stderrFile: file.replace(/\.log$/, "-stderr.log"),
        timeoutMs,
      });
      return endOf(running, help.signal);
    },
  };
}

type Setting = StageOptions & { readonly bundleFile: string };

async function playUnderProxy(stage: Setting, order: PlayOrder, help: PlayHelp): Promise<Played> {
  const session = await openSession(stage, order);
  try {
    const freePort = await takeFreePort();
    const { env } = launchEnvironment({
      base: stage.base,
      proxyUrl: `http://127.0.0.1:${session.address.port}`,
      certFile: stage.authority.certFile,
      bundleFile: stage.bundleFile,
      folder: resolve(order.places.temporary),
      extra: { ...order.env, WAYMARK_FREE_PORT: String(freePort.port) },
    });
    try {
      return await perform(stage, { order, help, session, env });
    } finally {
      freePort.giveBack();
    }
  } finally {
    await session.close();
  }
}

interface Scene {
  readonly order: PlayOrder;
  readonly help: PlayHelp;
  readonly session: Session;
  readonly env: Environment;
}

async function perform(stage: Setting, { order, help, session, env }: Scene): Promise<Played> {
  const { stdout, stderr, folder } = order.places;
  const startedAt = new Date();
  const running = launch({
    command: order.command,
    env,
    stdoutFile: stdout,
    stderrFile: stderr,
    timeoutMs: stage.timeoutMs,
  });
  const recorder = stage.record?.({ folder, env });
  const end = await endOf(running, help.signal);
  const endedAt = new Date();
  await session.flush();
  const settled =
    end.kind === "failed" || help.signal.aborted ? undefined : await help.settle(() => activityOf(session));
  const artifacts = (await recorder?.stop()) ?? [];
  const counts = await session.close();
  const ranMs = endedAt.getTime() - startedAt.getTime();
  return {
    end,
    startedAt: startedAt.toISOString(),
    endedAt: endedAt.toISOString(),
    ...(settled === undefined ? {} : { settled }),
    capture: captureCounts(counts),
    artifacts,
    explainSilence: () =>
      explainSilence({ end, ranMs, counts, lastWords: lastLines(stderr, 3), command: order.command }),
  };
}

async function endOf(running: Launch, signal: AbortSignal): Promise<LaunchEnd> {
  const stop = (): void => void running.stop("waymark was stopped", "interrupted");
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await running.ended;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function openSession(stage: Setting, { places }: PlayOrder): Promise<Session> {
  return startSession(
    {
      ...stage.scope,
      log: { dir: places.telemetry, name: TELEMETRY_NAME, maxFileBytes: LOG_FILE_BYTES },
      interceptor: {
        listen: "127.0.0.1",
        port: 0,
        map: stage.map,
        maxBodyBytes: stage.maxBodyBytes,
        certificateFor: stage.certificateFor,
        ...(stage.upstreamCa === undefined ? {} : { upstreamCa: stage.upstreamCa }),
      },
      tickMs: stage.tickMs,
    },
    { startInterceptor, onProblem: stage.onTrouble, onTrouble: stage.onTrouble },
  );
}

const LOG_FILE_BYTES = 64_000_000;

/** Changes whenever a connection, a request or an event came. */
function activityOf(session: Session): string {
  const { intercept, exchanges, events, undecoded, log } = session.counts();
  return JSON.stringify([intercept.connections, intercept.requests, exchanges, events, undecoded, log.lost]);
}

function captureCounts({ intercept, events, undecoded, log, failed }: SessionCounts): CaptureCounts {
  return {
    connections: intercept.connections,
    requests: intercept.requests,
    events: Object.values(events).reduce((sum, count) => sum + count, 0),
    undecoded,
    lost: log.lost + failed,
  };
}

const taken = new Set<number>();

/** A port that nobody listens on, and that no other run of this process was given: for the app under test. */
async function takeFreePort(): Promise<{ readonly port: number; giveBack(): void }> {
  for (;;) {
    const port = await unusedPort();
    if (taken.has(port)) continue;
    taken.add(port);
    return { port, giveBack: () => void taken.delete(port) };
  }
}

function unusedPort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(address !== null && typeof address === "object" ? address.port : 0));
    });
  });
}

function shellCommand(commandLine: string): readonly string[] {
  if (process.platform !== "win32") return ["/bin/sh", "-c", commandLine];
  return [process.env["ComSpec"] ?? "cmd.exe", "/d", "/s", "/c", commandLine];
}

const TAIL_BYTES = 4096;

/** The last lines of a file, without blank ones; none when it cannot be read. */
function lastLines(file: string, count: number): readonly string[] {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) return [];
  const descriptor = openSync(file, "r");
  try {
    const tail = Buffer.alloc(Math.min(size, TAIL_BYTES));
    const read = readSync(descriptor, tail, 0, tail.length, size - tail.length);
    const lines = tail
      .toString("utf8", 0, read)
      .split(/\r?\n/)
      .filter((line) => line.trim() !== "");
    return lines.slice(-count).map((line) => line.slice(0, 300));
  } finally {
    closeSync(descriptor);
  }
}
