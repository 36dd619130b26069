import { X509Certificate } from "node:crypto";
import { accessSync, chmodSync, constants, existsSync, readdirSync, readFileSync, statfsSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { authorityFolder } from "../certs/location.ts";
import { WaymarkError } from "../proxy/record/fault.ts";
import { isFree, ownerOf } from "./port-owner.ts";

/** One thing that has to be right, as it was found. */
export interface Check {
  readonly name: string;
  readonly level: "good" | "unsure" | "bad";
  readonly says: string;
  /** One command or step that mends it. */
  readonly fix?: string;
  /** Mends it here and now, where that is safe; says what was done. */
  readonly mend?: () => Promise<string>;
}

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: number;
  /** Ports that waymark would take. */
  readonly ports: readonly number[];
}

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
    markers,
    formats,
    database,
    clock,
  ];
  const all: Check[] = [];
  for (const check of checks) all.push(...(await check(surroundings)));
  return all;
}

function good(name: string, says: string): Check {
  return { name, level: "good", says };
}

function bad(name: string, says: string, fix: string): Check {
  return { name, level: "bad", says, fix };
}

function unsure(name: string, says: string, fix?: string): Check {
  return { name, level: "unsure", says, ...(fix === undefined ? {} : { fix }) };
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

const DAY_MS = 86_400_000;

async function authority({ env, now }: Surroundings): Promise<Check[]> {
  const place = authorityFolder(env);
  const make = async (): Promise<string> => {
    const { openAuthority } = await import("../certs/authority.ts");
    const { authority: made } = await openAuthority(place);
    return `made ${made.certFile}`;
  };
  const file = join(place, "waymark-ca.pem");
  if (!existsSync(file)) {
    return [
      {
        ...unsure(
          "authority",
          "there is no certificate authority yet; the first proxy makes one",
          "waymark doctor --fix",
        ),
        mend: make,
      },
    ];
  }
  try {
    const until = new Date(new X509Certificate(readFileSync(file)).validTo);
    const date = until.toISOString().slice(0, 10);
    const isOver = until.getTime() - now < 30 * DAY_MS;
    const age = isOver
      ? { ...bad("authority", `the certificate authority ends on ${date}`, "waymark doctor --fix"), mend: make }
      : good("authority", `the certificate authority is valid until ${date}: ${file}`);
    return [age, ...exposure(place)];
  } catch (cause) {
    return [
      bad(
        "authority",
        `${file} cannot be read: ${reasonOf(cause)}`,
        `move ${JSON.stringify(place)} away; a new authority is made`,
      ),
    ];
  }
}

/** Files with a key in them that others can read (POSIX). */
function exposure(place: string): Check[] {
  if (process.platform === "win32") return [];
  const files = readdirSync(place).map((name) => join(place, name));
  const open = files.filter((file) => {
    const isOpen = statSync(file).isFile() && (statSync(file).mode & 0o077) !== 0;
    return isOpen && readFileSync(file, "latin1").includes("PRIVATE KEY");
  });
  if (open.length === 0) return [good("key", "its key can be read by nobody else")];
  const mend = async (): Promise<string> => {
    for (const file of open) chmodSync(file, 0o600);
    return `made ${open.join(", ")} private`;
  };
  return [
    {
      ...bad(
        "key",
        "its private key can be read by others",
        `chmod 600 ${open.map((file) => JSON.stringify(file)).join(" ")}`,
      ),
      mend,
    },
  ];
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
  const { formatFiles, loadFormats } = await import("../proxy/formats/load.ts");
  const files = formatFiles("formats");
  if (files.length === 0) return [];
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

function reasonOf(cause: unknown): string {
  if (cause instanceof WaymarkError) return cause.faults[0]?.message ?? cause.message;
  return cause instanceof Error ? (cause.message.split("\n", 1)[0] ?? "") : String(cause);
}
