// Gets a bare clone ready: installs packages when they are missing or older than the lock file, builds when a source
// is newer than the build. Plain JavaScript without dependencies, because it runs before anything is installed.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const rooms = ["proxy", "certs", "grader", "client", "playwright", "cli", "bench", "examples", "test"];
const built = join(root, "dist", ".built");

function timeOf(path) {
  return existsSync(path) ? statSync(path).mtimeMs : 0;
}

function newestSource(folder) {
  let newest = statSync(folder).mtimeMs;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) newest = Math.max(newest, newestSource(path));
    else if (/\.(ts|tsx|css|json|mjs)$/.test(entry.name)) newest = Math.max(newest, statSync(path).mtimeMs);
  }
  return newest;
}

function run(command, args) {
  const done = spawnSync(command, args, { cwd: root, stdio: ["ignore", 2, 2], shell: process.platform === "win32" });
  if (done.status !== 0) {
    process.stderr.write(`waymark: "${command} ${args.join(" ")}" failed; the lines above say why\n`);
    process.exit(done.status ?? 1);
  }
}

function packagesIn(lockFile) {
  if (!existsSync(lockFile)) return {};
  return JSON.parse(readFileSync(lockFile, "utf8")).packages ?? {};
}

/** True when node_modules holds just what package-lock.json asks for (optional packages of other systems aside). */
function isInstalled() {
  const present = packagesIn(join(root, "node_modules", ".package-lock.json"));
  return Object.entries(packagesIn(join(root, "package-lock.json"))).every(
    ([path, wanted]) => path === "" || present[path]?.version === wanted.version || (!present[path] && wanted.optional),
  );
}

function install() {
  if (isInstalled()) return;
  process.stderr.write("waymark: installing packages (better-sqlite3 may compile for some minutes)\n");
  run("npm", ["ci", "--no-audit", "--no-fund"]);
}

function build() {
  rmSync(join(root, "dist"), { recursive: true, force: true });
  run(process.execPath, [join(root, "node_modules", "typescript", "bin", "tsc"), "-p", root]);
  const assets = join(root, "cli", "assets.mjs");
  if (existsSync(assets)) run(process.execPath, [assets]);
  writeFileSync(built, "");
}

const force = process.argv.includes("--build");
install();
const sources = Math.max(
  ...rooms.filter((room) => existsSync(join(root, room))).map((room) => newestSource(join(root, room))),
);
if (force || Math.max(sources, timeOf(join(root, "tsconfig.json"))) > timeOf(built)) build();
