import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { asText } from "../grader/report/text.ts";
import type { InterceptorOptions } from "../proxy/intercept/interceptor.ts";
import { isLoopback } from "../proxy/intercept/loopback.ts";
import { waymarkError } from "../proxy/record/fault.ts";
import type { Session, SessionDeps, SessionOptions } from "../proxy/session.ts";
import { captureSummary } from "./capture-summary.ts";
import { showLiveCounts } from "./live-counts.ts";
import { parseMapping } from "./mapping.ts";
import { FORMAT_OPTIONS, ownFormats } from "./own-formats.ts";
import { durationMs, sizeBytes, wholeNumber } from "./quantities.ts";
import { runsByToken } from "./run-credentials.ts";
import { RUN_PLACES } from "./runs-options.ts";
import { untilStopped } from "./signals.ts";
import { keepHeapSmall } from "./small-heap.ts";
import { mendSystemSettings, type SystemSettings, systemSettings } from "./system-settings.ts";
import type { Terminal } from "./terminal.ts";
import type { Arguments, OptionSpec, Verb } from "./verb.ts";

/** Bytes of a body that are kept for decoding; more flows on, unkept, and the record says `truncated`. */
export const MAX_BODY_BYTES = 33_554_432;
export const TICK_MS = 5000;

/** Options that say what is read and where it goes; `run` has them too. */
export const SCOPE_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  host: { kind: "list", value: "PATTERN", describe: "open this host too, such as *.example.com or 127.0.0.1:8443" },
  bypass: { kind: "list", value: "PATTERN", describe: "never open this host; wins over --host and --all" },
  all: { kind: "flag", describe: "open every host, not only those known to carry telemetry" },
  sink: { kind: "flag", describe: "answer the SDKs of opened hosts; nothing leaves this machine" },
  map: { kind: "list", value: "HOST=HOST:PORT", describe: "send a host's traffic elsewhere" },
  "upstream-ca": { kind: "text", value: "FILE", describe: "PEM certificates trusted upstream besides the system's" },
  redact: {
    kind: "list",
    value: "PATH",
    describe: "redact this field too, such as data.user.email or data.items[*].name",
  },
  "evaluator-port": {
    kind: "text",
    value: "PORT",
    describe: "port of the evaluator server, which is never reached through the proxy",
    defaultText: "5053",
  },
};

/** Where the log goes and how its files come and go; `open` has them too. */
export const LOG_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  out: { kind: "text", value: "DIR", describe: "folder of the log series", defaultText: "logs/telemetry" },
  name: { kind: "text", value: "NAME", describe: "name of the log series", defaultText: "telemetry" },
};

export const proxy: Verb = {
  name: "proxy",
  usage: "proxy [options]",
  describe:
    "Runs the proxy beside the app. Telemetry lands in rotating NDJSON logs; Ctrl-C drains and says what was seen.",
  options: {
    port: { kind: "text", value: "PORT", describe: "port to listen on; 0 takes a free one", defaultText: "8899" },
    listen: { kind: "text", value: "ADDRESS", describe: "address to listen on", defaultText: "127.0.0.1" },
    ...LOG_OPTIONS,
    ...SCOPE_OPTIONS,
    upstream: {
      kind: "text",
      value: "URL",
      describe:
        "reach all but this machine through this proxy, such as http://user:pass@proxy:3128; env reads HTTPS_PROXY",
    },
    "insecure-upstream": { kind: "flag", describe: "take upstream certificates whoever signed them; for tests only" },
    dir: RUN_PLACES.dir,
    "rotate-size": { kind: "text", value: "SIZE", describe: "begin a new file at this size", defaultText: "64MB" },
    "rotate-age": { kind: "text", value: "DURATION", describe: "begin a new file at this age" },
    keep: { kind: "text", value: "N", describe: "keep at most N files of the series" },
    "keep-size": { kind: "text", value: "SIZE", describe: "keep at most this much of the series" },
    ...FORMAT_OPTIONS,
    system: {
      kind: "flag",
      describe: "set this user's system proxy too, for apps that ignore the variables; put back at the end",
    },
    discover: {
      kind: "flag",
      describe: "keep nothing, but say which hosts the app talks to, which look like telemetry, and the --host to use",
    },
  },
  maxPositionals: 0,
  examples: [
    ["waymark proxy --host telemetry.example.com", "beside an app with its own endpoint"],
    ["waymark proxy --sink --all", "offline: every SDK is answered, every host is read"],
  ],
  async run(args, terminal) {
    if (args.flag("discover")) return (await import("./discover.ts")).discover(args, terminal);
    let talk = terminal;
    // What is said while it runs goes above the counts.
    const session = await openSession(args, { ...terminal, err: (text) => talk.err(text) });
    // Listened for before anyone is told that the proxy is there: whoever starts it may stop it at once.
    let settings: Promise<SystemSettings> | undefined;
    const stopping = untilStopped(terminal, async () => {
      await settings?.then(
        (set) => set.undo(),
        () => undefined,
      ); // first, so that no app is sent to a proxy that is gone
      await session.close();
    });
    greet(session, args, terminal);
    if (args.flag("system")) settings = systemSettings(session, terminal);
    await settings;
    const live = showLiveCounts({ terminal, counts: () => session.counts(), isQuiet: args.flag("quiet") === true });
    talk = live.terminal;
    const stopped = await stopping;
    const counts = await session.close();
    live.stop();
    talk = terminal;
    terminal.err(captureSummary(counts, session.file));
    if (args.flag("json"))
      terminal.out(`${JSON.stringify({ schema: "waymark.capture/1", file: session.file, ...counts })}\n`);
    return stopped.exitCode;
  },
};

/** What a verb changes of the capture that its command line asks for. */
export interface SessionChanges {
  readonly options?: Partial<Pick<SessionOptions, "log" | "all">> & { readonly port?: number };
  /** Stands between the session and its interceptor. */
  readonly around?: (start: SessionDeps["startInterceptor"]) => SessionDeps["startInterceptor"];
}

/** Opens the authority and the capture that a command line asks for. */
export async function openSession(
  args: Arguments,
  terminal: Terminal,
  { options: changed = {}, around = (start) => start }: SessionChanges = {},
): Promise<Session> {
  keepHeapSmall();
  const asked = captureOptions(args);
  const { port = asked.interceptor.port, ...others } = changed;
  const options = { ...asked, ...others, interceptor: { ...asked.interceptor, port } };
  const [upstreamCa, own] = await Promise.all([pemFile(args.text("upstream-ca")), ownFormats(args)]);
  const [{ openAuthority }, { createCertificateFor }, { startInterceptor }, { startSession }, { announceAuthority }] =
    await Promise.all([
      import("../certs/authority.ts"),
      import("../certs/leaf.ts"),
      import("../proxy/intercept/index.ts"),
      import("../proxy/session.ts"),
      import("./authority-news.ts"),
    ]);
  const { authority, event } = await openAuthority();
  announceAuthority(authority, event, terminal);
  await mendSystemSettings(terminal);
  const interceptor = {
    ...options.interceptor,
    certificateFor: createCertificateFor(authority),
    runOf: runsByToken(join(args.text("dir") ?? ".waymark", "runs")),
    ...(upstreamCa === undefined ? {} : { upstreamCa }),
  };
  return startSession(
    { ...options, ...own, interceptor },
    {
      startInterceptor: around(startInterceptor),
      onProblem: (message) => terminal.err(`waymark: ${message.split("\n").map(asText).join("\n")}\n`),
      onTrouble: (text) => terminal.err(`waymark: ${asText(text)}\n`),
    },
  );
}

type CaptureOptions = Omit<SessionOptions, "interceptor"> & {
  readonly interceptor: Omit<SessionOptions["interceptor"], "certificateFor" | "runOf" | "upstreamCa">;
};

function captureOptions(args: Arguments): CaptureOptions {
  const age = args.text("rotate-age");
  const keep = args.text("keep");
  const keepSize = args.text("keep-size");
  return {
    log: {
      dir: args.text("out") ?? "logs/telemetry",
      name: args.text("name") ?? "telemetry",
      maxFileBytes: someBytes("rotate-size", args.text("rotate-size") ?? "64MB"),
      ...(age === undefined ? {} : { maxFileAgeMs: someMs("rotate-age", age) }),
      ...(keep === undefined ? {} : { keepFiles: wholeNumber("keep", keep, { min: 1, max: 1_000_000 }) }),
      ...(keepSize === undefined ? {} : { keepBytes: sizeBytes("keep-size", keepSize) }),
    },
    interceptor: {
      listen: args.text("listen") ?? "127.0.0.1",
      port: wholeNumber("port", args.text("port") ?? "8899", { min: 0, max: 65_535 }),
      map: mappings(args),
      maxBodyBytes: MAX_BODY_BYTES,
      refusedPorts: refusedPorts(args),
      insecureUpstream: args.flag("insecure-upstream") === true,
      ...viaOption(args.text("upstream"), process.env),
    },
    ...scopeOf(args),
    tickMs: TICK_MS,
  };
}

/** What `SCOPE_OPTIONS` say of hosts and fields; `mappings` and `pemFile` read the rest of them. */
export function scopeOf(args: Arguments): Pick<SessionOptions, "hosts" | "bypass" | "all" | "sink" | "redact"> {
  return {
    hosts: args.list("host"),
    bypass: args.list("bypass"),
    all: args.flag("all") === true,
    sink: args.flag("sink") === true,
    redact: args.list("redact"),
  };
}

/** Ports of ours that no app may reach through the proxy, besides the proxy's own. */
export function refusedPorts(args: Arguments): readonly number[] {
  return [wholeNumber("evaluator-port", args.text("evaluator-port") ?? "5053", { min: 1, max: 65_535 })];
}

/** The options of `--map`; throws `WM_USAGE_MAP`. */
export function mappings(args: Arguments): ReadonlyMap<string, { readonly host: string; readonly port: number }> {
  return new Map(args.list("map").map(parseMapping));
}

/** `env` stands for what the environment names; without the option none of that counts, since it may name this very proxy. */
function viaOption(upstream: string | undefined, env: NodeJS.ProcessEnv): Pick<InterceptorOptions, "via"> {
  if (upstream === undefined) return {};
  const first = (...names: string[]): string =>
    names.map((name) => env[name] ?? "").find((value) => value !== "") ?? "";
  const named = first("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "http_proxy", "HTTP_PROXY");
  return { via: { url: upstream === "env" ? named : upstream, noProxy: first("no_proxy", "NO_PROXY") } };
}

/** A file of no size could hold no record. */
function someBytes(option: string, text: string): number {
  const bytes = sizeBytes(option, text);
  if (bytes > 0) return bytes;
  throw waymarkError("WM_USAGE_SIZE", `--${option} got "${text}"; a file has to hold at least a byte`);
}

function someMs(option: string, text: string): number {
  const ms = durationMs(option, text);
  if (ms > 0) return ms;
  throw waymarkError("WM_USAGE_DURATION", `--${option} got "${text}"; it takes a duration above zero`);
}

/** The text of `--upstream-ca`; throws `WM_PROXY_UPSTREAM_CA` when it cannot be read. */
export async function pemFile(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    throw waymarkError("WM_PROXY_UPSTREAM_CA", `the file "${file}" given with --upstream-ca cannot be read`, { cause });
  }
}

/** Says that the proxy is there, where it writes and how it is used. */
export function greet(session: Session, args: Arguments, terminal: Terminal): void {
  const { host, port } = session.address;
  const address = host.includes(":") ? `[${host}]` : host;
  terminal.err(`waymark proxy listening on http://${address}:${port}\n`);
  if (!isLoopback(host)) terminal.err("waymark: anyone who can reach this machine can use this proxy\n");
  if (args.flag("quiet")) return;
  const option = port === 8899 ? "" : ` --port ${port}`;
  terminal.err(
    `  writing    ${session.file}\n  use it     eval "$(waymark env${option})" in the shell that starts the app\n  stop       Ctrl-C\n`,
  );
}
