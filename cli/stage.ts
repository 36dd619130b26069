import { rmSync } from "node:fs";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import type { Authority } from "../certs/authority.ts";
import { writeBundle } from "../certs/bundle.ts";
import type { CertificateFor } from "../certs/leaf.ts";
import type { Hook, Play, Played, PlayHelp, PlayOrder } from "../grader/trials/performance.ts";
import { TELEMETRY_NAME } from "../grader/trials/play.ts";
import type { CaptureCounts, LaunchEnd, TrialArtifact } from "../grader/trials/trial.ts";
import { startInterceptor } from "../proxy/intercept/index.ts";
import { browserArguments, type Launch, launch, launchEnvironment } from "../proxy/launch/index.ts";
import { type Session, type SessionCounts, type SessionOptions, startSession } from "../proxy/session.ts";
import { explainSilence } from "./run-silence.ts";

/** Records a run from outside (video, screenshots) until it is told to stop, and gives what it recorded. */
export type RecordRun = (order: RecordOrder) => { stop(): Promise<readonly TrialArtifact[]> };

export interface RecordOrder {
  /** The run's folder. */
  readonly folder: string;
  readonly env: Environment;
  /** The profile of the browser that the command starts, and where those of other browsers are made. */
  readonly profile?: string;
  readonly profiles: string;
}
export type Environment = Readonly<{ [name: string]: string | undefined }>;

export interface StageOptions {
  readonly authority: Authority;
  readonly certificateFor: CertificateFor;
  readonly scope: Pick<SessionOptions, "hosts" | "bypass" | "all" | "sink" | "redact" | "formats" | "decoders">;
  readonly map: SessionOptions["interceptor"]["map"];
  readonly upstreamCa?: string;
  /** Ports of ours that no app may reach through its proxy. */
  readonly refusedPorts: readonly number[];
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
  const freePort = await takeFreePort();
  try {
    return await perform(stage, { order, help, session, port: freePort.port });
  } finally {
    freePort.giveBack();
    await session.close();
  }
}

interface Scene {
  readonly order: PlayOrder;
  readonly help: PlayHelp;
  readonly session: Session;
  /** For the app under test. */
  readonly port: number;
}

async function perform(stage: Setting, { order, help, session, port }: Scene): Promise<Played> {
  const { stdout, stderr } = order.places;
  const setting = setUp(stage, order, { session, port });
  const startedAt = new Date();
  const { command, env, temporary } = setting;
  const running = launch({ command, env, stdoutFile: stdout, stderrFile: stderr, timeoutMs: stage.timeoutMs });
  const recorder = stage.record?.(setting);
  try {
    const end = await endOf(running, help.signal);
    const details = await running.details;
    const endedAt = new Date(startedAt.getTime() + Math.max(0, details.mainMs));
    await session.flush();
    const isOver = end.kind === "failed" || help.signal.aborted;
    const settled = isOver ? undefined : await help.settle(() => activityOf(session));
    const artifacts = (await recorder?.stop()) ?? [];
    const counts = await session.close();
    for (const what of details.survivors) stage.onTrouble(`the process ${what} of run ${order.id} could not be ended`);
    const silent = { end, ranMs: details.mainMs, counts, lastWords: tellingLines(details.stderr.lastLines) };
    return {
      end,
      startedAt: startedAt.toISOString(),
      endedAt: endedAt.toISOString(),
      ...(settled === undefined ? {} : { settled }),
      capture: captureCounts(counts),
      artifacts,
      explainSilence: () => explainSilence({ ...silent, command: order.command }),
    };
  } finally {
    await recorder?.stop();
    rmSync(temporary, { recursive: true, force: true, maxRetries: 3 });
  }
}

const MOST_LINES = 3;

/** The lines that name an error, else the last ones; a stack's end says nothing. */
function tellingLines(lines: readonly string[]): readonly string[] {
  const full = lines.filter((line) => line.trim() !== "");
  const errors = full.filter((line) => /error/i.test(line));
  return (errors.length > 0 ? errors : full).slice(-MOST_LINES);
}

interface SetUp extends RecordOrder {
  readonly command: readonly string[];
  readonly temporary: string;
}

/** The command as it is started, and its environment: through the run's proxy, trusting its authority. */
function setUp(stage: Setting, order: PlayOrder, { session, port }: Pick<Scene, "session" | "port">): SetUp {
  const folder = resolve(order.places.folder);
  const paths = { proxyUrl: `http://127.0.0.1:${session.address.port}`, certFile: stage.authority.certFile, folder };
  const evidence = stage.record !== undefined;
  const extra = { ...order.env, WAYMARK_FREE_PORT: String(port) };
  const { bundleFile, base } = stage;
  const { env, temporary, profiles } = launchEnvironment({ ...paths, base, bundleFile, extra, evidence });
  const { command, profile } = browserArguments(order.command, { ...paths, env, evidence });
  return { folder, command, env, temporary, profiles, ...(profile === undefined ? {} : { profile }) };
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
        refusedPorts: stage.refusedPorts,
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
    ...(log.foreign === undefined ? {} : { foreign: log.foreign }),
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
