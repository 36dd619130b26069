import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Store } from "../grader/store/store.ts";
import type { Trial } from "../grader/trials/trial.ts";
import { waymarkError } from "../proxy/record/fault.ts";
import { DEFAULT_DB } from "./defaults.ts";
import { openInBrowser } from "./open-file.ts";
import { sizeBytes } from "./quantities.ts";
import { DEFAULT_DIR } from "./run-options.ts";
import type { Arguments, Verb } from "./verb.ts";

const DEFAULT_OUT = "report.html";
const DEFAULT_EMBED = "20MB";
const HEAVY_BYTES = 20_000_000;
const TOO_HEAVY_BYTES = 50_000_000;

export const report: Verb = {
  name: "report",
  usage: "report [RUN..]",
  describe:
    "Writes one HTML file about runs that opens by double click: verdict, where runs stall, each run with its video, events and nearest misses, comparisons and the trend. Without a RUN it is about the latest batch.",
  options: {
    out: { kind: "text", alias: "o", value: "FILE", describe: "where the page goes", defaultText: DEFAULT_OUT },
    open: { kind: "flag", describe: "open it in the browser" },
    "embed-limit": {
      kind: "text",
      value: "SIZE",
      describe: "most video and screenshots inside the page; what is more stands beside it",
      defaultText: DEFAULT_EMBED,
    },
    zip: { kind: "flag", describe: "pack the page and what stands beside it into one FILE.zip" },
    title: { kind: "text", value: "TEXT", describe: "what the page is called", defaultText: "the scenario" },
    db: { kind: "text", value: "FILE", describe: "database", defaultText: DEFAULT_DB },
    dir: { kind: "text", value: "DIR", describe: "folder of runs", defaultText: DEFAULT_DIR },
  },
  examples: [
    ["waymark report --open", "the latest batch, in the browser"],
    ["waymark report 32 33 -o two.html", "two runs"],
    ["waymark report batch:01KB -o out/report.html --zip", "a batch with its videos, to be sent"],
  ],
  async run(args, terminal) {
    const file = args.text("out") ?? DEFAULT_OUT;
    const embedLimit = sizeBytes("embed-limit", args.text("embed-limit") ?? DEFAULT_EMBED);
    const store = await openResults(args);
    try {
      const trials = await trialsFor(args, store);
      const { prepareReport } = await import("../grader/report/page/report.ts");
      const { writeReport } = await import("../grader/report/page/write.ts");
      const title = args.text("title");
      const made = await prepareReport(trials, {
        file,
        embedLimit,
        madeAt: new Date().toISOString(),
        ...(title === undefined ? {} : { title }),
        store,
      });
      const written = await writeReport(file, made, { zip: args.flag("zip") === true });
      if (args.flag("json")) {
        terminal.out(`${JSON.stringify({ schema: "waymark.report/1", ...written, runs: trials.length })}\n`);
      } else terminal.out(`${said(written.file, written.bytes, trials.length)}`);
      if (written.bytes > HEAVY_BYTES) terminal.err(heavy(written.bytes));
      if (args.flag("open")) openInBrowser(file);
      return 0;
    } finally {
      store.close();
    }
  },
};

async function openResults(args: Arguments): Promise<Store> {
  const dir = args.text("dir");
  const file = args.text("db") ?? (dir === undefined ? DEFAULT_DB : join(dir, "waymark.db"));
  if (!existsSync(file)) {
    throw waymarkError("WM_RUN_NOT_FOUND", `there is no database "${file}"; nothing was graded here yet`);
  }
  const { openStore } = await import("../grader/store/store.ts");
  return openStore(file, { readonly: true });
}

/** The runs that are named; else the latest batch, or, where nothing was ever run in batches, the latest graded runs. */
async function trialsFor(args: Arguments, store: Store): Promise<readonly Trial[]> {
  const { selectTrials, trialsOf } = await import("../grader/trials/select.ts");
  const sources = { store, runs: join(args.text("dir") ?? DEFAULT_DIR, "runs") };
  const [batch] = store.listBatches(1);
  const words = args.positionals.length === 0 && batch !== undefined ? ["batch:latest"] : args.positionals;
  const named =
    words.length > 0 ? await selectTrials(words, sources) : trialsOf(store.listRuns({ limit: 200 }), sources);
  if (named.length === 0) throw waymarkError("WM_RUN_NOT_FOUND", "no run has been stored yet");
  const { ungradedOf } = await import("../grader/report/page/ungraded.ts");
  return [...named, ...ungradedOf(words, named, sources)];
}

function said(file: string, bytes: number, runs: number): string {
  return `${file}: ${runs === 1 ? "1 run" : `${runs} runs`}, ${(bytes / 1e6).toFixed(2)} MB\n`;
}

function heavy(bytes: number): string {
  const size = `${(bytes / 1e6).toFixed(0)} MB`;
  return bytes > TOO_HEAVY_BYTES
    ? `the page has ${size}; browsers get slow from about 50 MB on. A lower --embed-limit puts videos beside it.\n`
    : `the page has ${size}; a lower --embed-limit makes it lighter\n`;
}
