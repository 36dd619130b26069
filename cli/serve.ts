import { isLoopbackAddress } from "../grader/evaluator/http/doors.ts";
import { type EvaluatorServer, startEvaluator } from "../grader/evaluator/server.ts";
import { asText } from "../grader/report/text.ts";
import { findPrices } from "../grader/trials/prices-file.ts";
import { type Fault, waymarkError } from "../proxy/record/fault.ts";
import { durationMs, wholeNumber } from "./quantities.ts";
import { runsPlaces } from "./runs-open.ts";
import { RUN_PLACES } from "./runs-options.ts";
import { untilStopped } from "./signals.ts";
import type { Terminal } from "./terminal.ts";
import type { Arguments, Verb } from "./verb.ts";

export const serve: Verb = {
  name: "serve",
  usage: "serve [options]",
  describe:
    "Runs the evaluator server: harnesses of any language grade over HTTP, from inside the machine where the facts are. Ctrl-C ends it.",
  options: {
    port: { kind: "text", value: "PORT", describe: "port to listen on; 0 takes a free one", defaultText: "5053" },
    listen: {
      kind: "text",
      value: "ADDRESS",
      describe: "address to listen on; others than loopback need --token and --root",
      defaultText: "127.0.0.1",
    },
    markers: {
      kind: "text",
      value: "DIR",
      describe: "folder of scenarios; the shipped ones come after it",
      defaultText: "markers",
    },
    log: {
      kind: "text",
      value: "LOG",
      describe: "graded when an item names no telemetry_file",
      defaultText: "logs/telemetry",
    },
    root: { kind: "text", value: "DIR", describe: "nothing outside this folder is looked at, links resolved" },
    token: {
      kind: "text",
      value: "TOKEN",
      describe: "asked of every client as a bearer token; better in WAYMARK_TOKEN",
    },
    "allow-host": {
      kind: "list",
      value: "NAME",
      describe: "a name clients may use in Host, beside localhost and addresses",
    },
    "allow-command": {
      kind: "list",
      value: "NAME=COMMAND",
      describe: "a command that the `command` evaluator may run",
    },
    ...RUN_PLACES,
    store: { kind: "flag", describe: "keep results (--no-store does not)", defaultText: "true" },
    prices: {
      kind: "text",
      value: "FILE",
      describe: "prices of models, for costs from captured LLM calls of runs",
      defaultText: ".waymark/prices.yaml",
    },
    "max-concurrent": {
      kind: "text",
      value: "N",
      describe: "requests that work at once; four times as many may wait",
      defaultText: "64",
    },
    "wait-limit": {
      kind: "text",
      value: "DURATION",
      describe: "longest wait a request may ask for",
      defaultText: "5m",
    },
    "time-limit": { kind: "text", value: "DURATION", describe: "longest time one grading may take", defaultText: "5m" },
  },
  maxPositionals: 0,
  examples: [
    ["waymark serve", "for harnesses on this machine"],
    ["WAYMARK_TOKEN=... waymark serve --listen 0.0.0.0 --root /data", "for a container beside the app"],
  ],
  async run(args, terminal) {
    const store = await openResults(args);
    try {
      const server = await startEvaluator({ ...optionsOf(args, terminal), ...(store === undefined ? {} : { store }) });
      // Listened for before anyone is told that the server is there: whoever starts it may stop it at once.
      const stopping = untilStopped(terminal, () => server.close());
      greet(server, args, terminal);
      return (await stopping).exitCode;
    } finally {
      store?.close();
    }
  },
};

function optionsOf(args: Arguments, terminal: Terminal) {
  const root = args.text("root");
  const token = args.text("token");
  const prices = findPrices(args.text("prices"));
  return {
    listen: args.text("listen") ?? "127.0.0.1",
    port: wholeNumber("port", args.text("port") ?? "5053", { min: 0, max: 65_535 }),
    markers: args.text("markers") ?? "markers",
    log: args.text("log") ?? "logs/telemetry",
    runs: runsPlaces(args).runs,
    hosts: args.list("allow-host"),
    commands: new Map(args.list("allow-command").map(parseCommand)),
    maxConcurrent: wholeNumber("max-concurrent", args.text("max-concurrent") ?? "64", { min: 1, max: 10_000 }),
    maxWaitMs: durationMs("wait-limit", args.text("wait-limit") ?? "5m"),
    limitMs: someMs("time-limit", args.text("time-limit") ?? "5m"),
    onBug: (error: unknown) => {
      const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
      terminal.err(`waymark: ${stack.split("\n").map(asText).join("\n")}\n`);
    },
    onProblem: ({ message }: Fault) => terminal.err(`waymark: ${asText(message)}\n`),
    ...(prices === undefined ? {} : { prices }),
    ...(root === undefined ? {} : { root }),
    ...(token === undefined ? {} : { token }),
  };
}

function someMs(option: string, text: string): number {
  const ms = durationMs(option, text);
  if (ms > 0) return ms;
  throw waymarkError("WM_USAGE_DURATION", `--${option} got "${text}"; it takes a duration above zero`);
}

async function openResults(args: Arguments) {
  if (args.flag("store") === false) return undefined;
  const { openStore } = await import("../grader/store/store.ts");
  return openStore(runsPlaces(args).db);
}

/** `NAME=program "an argument"`: words as a shell would split them, with quotes and without anything else of a shell. */
function parseCommand(text: string): readonly [string, readonly string[]] {
  const at = text.indexOf("=");
  const name = text.slice(0, Math.max(at, 0)).trim();
  const words = [...text.slice(at + 1).matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? "",
  );
  if (name !== "" && words.length > 0) return [name, words];
  throw waymarkError("WM_USAGE", `--allow-command got "${text}", which is not NAME=COMMAND`);
}

function greet(server: EvaluatorServer, args: Arguments, terminal: Terminal): void {
  terminal.err(`waymark serve listening on ${server.url}\n`);
  if (!isLoopbackAddress(server.host))
    terminal.err("waymark: other machines can ask this server; they need its token\n");
  if (args.flag("quiet")) return;
  const root = args.text("root");
  terminal.err(
    `  scenarios  ${args.text("markers") ?? "markers"}, then the shipped ones\n  may see    ${root === undefined ? "every file this user may read" : `only ${root}`}\n  schemas    ${server.url}/openapi.json\n  stop       Ctrl-C\n`,
  );
}
