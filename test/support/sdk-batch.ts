import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { BatchDocument } from "../../grader/trials/batch.ts";
import { isObject, type JsonObject } from "../../proxy/record/json.ts";
import { PROJECT } from "./project.ts";
import { at } from "./records.ts";
import { runPlace } from "./run-command.ts";
import { sdkVersion } from "./sdk-apps.ts";
import { seriesLines } from "./series.ts";

type Told = Readonly<Record<string, unknown>>;

/** One SDK, the app that uses it, and how its events ought to stand in the log. */
export interface Sdk {
  /** Below test/sdk/apps. */
  readonly app: string;
  readonly packages: readonly string[];
  /** `$capture.format` of its records. */
  readonly format: string;
  /** What the format keeps of an event's properties. */
  readonly kept: (data: Told) => Told;
  readonly nameOf?: (name: string) => string;
  /** Where in the record they stand. */
  readonly place?: readonly string[];
}

/** What became of one app's run. */
export interface SdkRun {
  readonly sdk: Sdk;
  /** What it sent and what stands in the log, event by event; equal when all is well. */
  readonly told: readonly { readonly name: string; readonly data: Told }[];
  readonly recorded: readonly { readonly name: unknown; readonly data: unknown }[];
  /** The app's last word: whether its SDK reported success. */
  readonly delivered: boolean;
  readonly words: string;
  /** Records that say they were sent again, or that no decoder read. */
  readonly retries: number;
  readonly undecoded: readonly unknown[];
  readonly verdict: string;
  /** The table's row. */
  readonly row: string;
}

/** Launches the app of each SDK (WAYMARK_SDK_ONLY picks some by parts of their names) once with `waymark run` and reads back what it said and what was recorded. */
export async function runSdks(
  t: Pick<TestContext, "after">,
  all: readonly Sdk[],
  order: { readonly apps: string; readonly options: readonly string[]; readonly command: readonly string[] },
): Promise<readonly SdkRun[]> {
  const wanted = process.env["WAYMARK_SDK_ONLY"] ?? "";
  const sdks = all.filter(({ app }) => wanted === "" || wanted.split(",").some((part) => app.includes(part)));
  const place = runPlace(t);
  const story = await storyOf(order.apps);
  const named = (sdk: Sdk) => story.map(({ name }) => sdk.nameOf?.(name) ?? name);
  const tasks = sdks.map((sdk) => {
    const [opened = "", sent = "", closed = ""] = named(sdk);
    return { name: sdk.app, params: { opened, sent, closed }, args: [join(order.apps, sdk.app)] };
  });
  const [taskFile, scenario] = [place.file("tasks.json", JSON.stringify(tasks)), place.file("story.yaml", SCENARIO)];
  const words = ["-n", "1", "--jobs", "2", "--evidence", "off", "--settle", "idle=500ms,max=10s", "--timeout", "240s"];
  const line = [...words, "--task", taskFile, "-s", scenario, ...order.options, "--", ...order.command];
  const { document, said } = await place.json(...line);
  if (process.env["WAYMARK_SDK_VERBOSE"] !== undefined) process.stderr.write(said.stderr);
  return sdks.map((sdk) => readRun(sdk, { document, story, runs: join(place.cwd, ".waymark", "runs") }));
}

const SCENARIO = `
waymark: 1
scenario: story
params:
  opened: { type: string, required: true }
  sent: { type: string, required: true }
  closed: { type: string, required: true }
markers:
  - any_order:
      - { name: Opened, event: $opened }
      - { name: Sent, event: $sent }
      - { name: Closed, event: $closed }
`;

type Story = readonly { readonly name: string; readonly data: Told }[];

async function storyOf(apps: string): Promise<Story> {
  const { EVENTS } = (await import(join(apps, "story.mjs"))) as { EVENTS: Story };
  return EVENTS;
}

function readRun(sdk: Sdk, { document, story, runs }: { document: BatchDocument; story: Story; runs: string }): SdkRun {
  const trial = document.trials.find(({ task }) => task === sdk.app);
  const folder = join(runs, trial?.id ?? "missing");
  const records = seriesLines(join(folder, "telemetry")).filter(
    (line) => at(line, "$capture", "control") === undefined,
  );
  const told = story.map(({ name, data }) => ({ name: sdk.nameOf?.(name) ?? name, data: sdk.kept(data) }));
  const turn = ({ name }: Readonly<Record<string, unknown>>): number => told.findIndex((one) => one.name === name);
  // In the order of the story: a page sends each event on a connection of its own, and none of them has to be the first.
  const own = records
    .filter((record) => turn(record) >= 0 && at(record, "$capture", "format") === sdk.format)
    .sort((one, other) => turn(one) - turn(other));
  const recorded = own.map((record, index) => {
    const data = at(record, ...(sdk.place ?? ["data"])) ?? {};
    return { name: record["name"], data: only(data, told[index]?.data) };
  });
  const { delivered, words } = lastWord(folder);
  const undecoded = records.flatMap((record) => at(record, "$capture", "undecoded") ?? []);
  const retries = records.filter((record) => at(record, "$capture", "retry") !== undefined).length;
  const verdict = document.runs.find(({ task }) => task === sdk.app)?.verdict ?? "none";
  const name = sdk.packages[0] ?? "";
  const row = `| ${name} | ${sdkVersion(name)} | ${sdk.format} | ${told.length} / ${recorded.length} | ${records.length} | ${words} | ${verdict} |`;
  return { sdk, told, recorded, delivered, words, retries, undecoded, verdict, row };
}

/** Of what was recorded the keys that were told, so that what an SDK adds of its own does not count. */
function only(data: unknown, told: Told | undefined): unknown {
  if (!isObject(data as JsonObject) || told === undefined) return data;
  const record = data as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(told).map(([key, value]) => {
      const isInner = typeof value === "object" && value !== null && !Array.isArray(value);
      return [key, isInner ? only(record[key], value as Told) : record[key]];
    }),
  );
}

function lastWord(folder: string): { delivered: boolean; words: string } {
  const [out = "", err = ""] = ["stdout.log", "stderr.log"].map((file) => textOf(join(folder, file)));
  const line = out.trim().split("\n").at(-1) ?? "";
  if (line.startsWith('{"delivered"')) return JSON.parse(line) as { delivered: boolean; words: string };
  return { delivered: false, words: `said nothing: ${(out + err).slice(-2_000)}` };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** Keeps a table beside the build, and prints it with the tests' output. */
export function showTable(title: string, runs: readonly SdkRun[]): void {
  const head =
    "| SDK | version | format | sent / recorded | records | it says | grade |\n| --- | --- | --- | --- | --- | --- | --- |";
  const text = [`${title}\n`, head, ...runs.map(({ row }) => row), ""].join("\n");
  process.stdout.write(`${text}\n`);
  writeFileSync(join(PROJECT, "dist", `${title.replace(/\W+/g, "-").toLowerCase()}.md`), text);
}
