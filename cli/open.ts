import { asText } from "../grader/report/text.ts";
import { waymarkError } from "../proxy/record/fault.ts";
import { captureSummary } from "./capture-summary.ts";
import { openedUnder } from "./open-app.ts";
import { targetOf } from "./open-target.ts";
import { FORMAT_OPTIONS } from "./own-formats.ts";
import { LOG_OPTIONS, openSession, SCOPE_OPTIONS } from "./proxy.ts";
import { runningProxy } from "./running-proxy.ts";
import { stopSignal } from "./signals.ts";
import type { Verb } from "./verb.ts";

export const open: Verb = {
  name: "open",
  usage: "open chrome[:PATH]|electron:PATH|terminal [--url URL] [-- ARGUMENTS]",
  describe:
    "Opens a browser, an Electron app or a shell under the proxy: a fresh profile, everything set, nothing installed. When it is closed (or at Ctrl-C), says what was captured. Words behind -- go to the program.",
  options: {
    url: { kind: "text", value: "URL", describe: "chrome: the page to open" },
    proxy: {
      kind: "text",
      value: "PORT|URL",
      describe: "under this running proxy of waymark, which keeps the capture",
      defaultText: "one of its own",
    },
    port: { kind: "text", value: "PORT", describe: "port of its own proxy", defaultText: "a free one" },
    ...LOG_OPTIONS,
    ...SCOPE_OPTIONS,
    ...FORMAT_OPTIONS,
  },
  maxPositionals: 1,
  takesCommand: true,
  examples: [
    ["waymark open chrome --url https://app.example.com --all", "click through it; close it; waymark grade"],
    ["waymark open electron:/opt/Teams/teams", "a packaged app, or the folder of one with its own Electron"],
    ["waymark open terminal --proxy 8899", "a shell whose programs go through the proxy that runs"],
  ],
  async run(args, terminal) {
    const target = targetOf(args, terminal);
    const running = args.text("proxy");
    const stopping = stopSignal();
    if (running !== undefined) {
      const address = await runningProxy(running);
      await openedUnder(address, target, { args, terminal, stop: stopping.signal, exitCode: stopping.exitCode });
      terminal.err("what was captured stands in the log of the proxy that runs\n");
      return stopping.exitCode() ?? 0;
    }
    const port = Number(args.text("port") ?? "0");
    if (!Number.isInteger(port) || port < 0 || port > 65_535)
      throw waymarkError(
        "WM_USAGE_NOT_A_NUMBER",
        `--port got "${asText(args.text("port") ?? "")}"; it takes 0 to 65535`,
      );
    const session = await openSession(args, terminal, { options: { port } });
    try {
      await openedUnder(session.address, target, {
        args,
        terminal,
        stop: stopping.signal,
        exitCode: stopping.exitCode,
      });
    } finally {
      const counts = await session.close();
      terminal.err(captureSummary(counts, session.file));
      if (args.flag("json"))
        terminal.out(`${JSON.stringify({ schema: "waymark.capture/1", file: session.file, ...counts })}\n`);
    }
    return stopping.exitCode() ?? 0;
  },
};
