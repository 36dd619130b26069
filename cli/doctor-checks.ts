import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { formatFiles } from "../proxy/formats/format-files.ts";
import { authority } from "./doctor-authority.ts";
import { bad, type Check, good, reasonOf, type Surroundings, unsure } from "./doctor-check.ts";
import { isFree, ownerOf } from "./port-owner.ts";

const DAY_MS = 86_400_000;

/** Runs every check; none of them throws, changes anything, or leaves the machine. */
export async function runChecks(surroundings: Surroundings): Promise<Check[]> {
  const checks: readonly ((around: Surroundings) => Promise<Check[]> | Check[])[] = [
    nodeVersion,
    sqlite,
    folder,
    disk,
    ports,
    authority,
    outerProxy,
    trustSwitches,
    config,
    markers,
    formats,
    database,
    clock,
  ];
  const all: Check[] = [];
  for (const check of checks) all.push(...(await check(surroundings)));
  return all;
}

function nodeVersion(): Check[] {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const isNew = major > 20 || (major === 20 && minor >= 19);
  const says = `Node ${process.versions.node}`;
  return [isNew ? good("node", says) : bad("node", `${says} is too old`, "install Node 20.19 or newer")];
}

async function sqlite(): Promise<Check[]> {
  try {
    const { openStore } = await import("../grader/store/store.ts");
    const { mkdtemp, rm } = await import("node:fs/promises");
    const scratch = await mkdtemp(join(tmpdir(), "waymark-doctor-"));
    try {
      openStore(join(scratch, "x.db")).close();
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
    return [good("sqlite", "the database engine loads")];
  } catch (cause) {
    return [bad("sqlite", `the database engine does not load: ${reasonOf(cause)}`, "npm rebuild better-sqlite3")];
  }
}

function folder(): Check[] {
  const kept = resolve(".waymark");
  const looked = existsSync(kept) ? kept : resolve(".");
  try {
    accessSync(looked, constants.W_OK);
    return [good("folder", `${looked} can be written`)];
  } catch {
    return [bad("folder", `${looked} cannot be written`, `chmod u+w ${JSON.stringify(looked)}`)];
  }
}

const LITTLE_BYTES = 1_000_000_000;
const TOO_LITTLE_BYTES = 100_000_000;

function disk(): Check[] {
  try {
    const { bavail, bsize } = statfsSync(".");
    const free = bavail * bsize;
    const says = `${(free / 1e9).toFixed(1)} GB free on this disk`;
    if (free < TOO_LITTLE_BYTES) return [bad("disk", says, "make room, or keep logs elsewhere with --out")];
    return [free < LITTLE_BYTES ? unsure("disk", says, "waymark proxy --keep-size 500MB") : good("disk", says)];
  } catch (cause) {
    return [unsure("disk", `free space is not known: ${reasonOf(cause)}`)];
  }
}

async function ports({ ports: wanted }: Surroundings): Promise<Check[]> {
  const names: Readonly<Record<number, string>> = { 8899: "the proxy's", 5053: "the evaluator server's" };
  return Promise.all(
    wanted.map(async (port) => {
      if (await isFree(port)) return good(`port ${port}`, `port ${port} (${names[port] ?? "asked for"}) is free`);
      const owner = ownerOf(port);
      const by = owner === undefined ? "" : ` by ${owner}`;
      return unsure(
        `port ${port}`,
        `port ${port} (${names[port] ?? "asked for"}) is taken${by}`,
        "end that program, or use --port 0",
      );
    }),
  );
}

function outerProxy({ env }: Surroundings): Check[] {
  const names = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY"].filter((name) => env[name]);
  if (names.length === 0) return [good("outer proxy", "no other proxy is set")];
  const says = `${names.join(", ")} is set; waymark's proxy goes to the network itself, not through that one`;
  return [unsure("outer proxy", says, `unset ${names.join(" ")}`)];
}

function trustSwitches({ env }: Surroundings): Check[] {
  if (env["NODE_TLS_REJECT_UNAUTHORIZED"] !== "0") return [];
  const says = "NODE_TLS_REJECT_UNAUTHORIZED=0 is set: Node apps check no certificate at all";
  return [unsure("trust", says, "unset NODE_TLS_REJECT_UNAUTHORIZED")];
}

async function config({ env, config: asked, profile }: Surroundings): Promise<Check[]> {
  const { findDefaults } = await import("./settings.ts");
  try {
    const { file } = await findDefaults({ env, config: asked, profile });
    return file === undefined ? [] : [good("config", `${file} is valid`)];
  } catch (cause) {
    return [bad("config", `the configuration has mistakes: ${reasonOf(cause)}`, "waymark config show")];
  }
}

async function markers(): Promise<Check[]> {
  if (!existsSync("markers"))
    return [unsure("markers", "there is no folder markers/ here; the shipped scenarios are used")];
  try {
    const { findScenarios } = await import("../grader/scenario/find.ts");
    const { scenarios } = await findScenarios({ folder: "markers" });
    return [good("markers", `${scenarios.length} scenarios in markers/ are valid`)];
  } catch (cause) {
    return [bad("markers", `markers/ has mistakes: ${reasonOf(cause)}`, "waymark check")];
  }
}

async function formats(): Promise<Check[]> {
  const files = formatFiles("formats");
  if (files.length === 0) return [];
  const { loadFormats } = await import("../proxy/formats/load.ts");
  try {
    return [good("formats", `${loadFormats(files).length} formats in formats/ are valid`)];
  } catch (cause) {
    return [
      bad(
        "formats",
        `formats/ has mistakes: ${reasonOf(cause)}`,
        "waymark proxy --discover shows them with their places",
      ),
    ];
  }
}

async function database(): Promise<Check[]> {
  const file = join(".waymark", "waymark.db");
  if (!existsSync(file)) return [good("database", "no runs are stored here yet")];
  try {
    const { openStore } = await import("../grader/store/store.ts");
    openStore(file, { readonly: true }).close();
    return [good("database", `${file} can be read`)];
  } catch (cause) {
    return [
      bad("database", `${file}: ${reasonOf(cause)}`, `move ${file} away; it can be rebuilt from the runs' folders`),
    ];
  }
}

/** A clock that is far off makes certificates invalid and times of events useless; a file just built gives it away. */
function clock({ now }: Surroundings): Check[] {
  const built = statSync(new URL(import.meta.url)).mtimeMs;
  const isBehind = now < built - DAY_MS;
  const says = `the clock says ${new Date(now).toISOString()}`;
  return [
    isBehind ? bad("clock", `${says}, which is before waymark was installed`, "set the clock") : good("clock", says),
  ];
}
