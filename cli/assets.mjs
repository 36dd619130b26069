// Runs after tsc: bundles the command line program into a few files of its own, since loading some three hundred modules
// takes longer than grading a small log. The library's modules stay as tsc wrote them.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const cli = join(root, "dist", "cli");

/**
 * Stay outside the bundle: native code and packages that look for files beside themselves, and the example app, which
 * starts programs of its own. Its path is the same from every chunk, as all chunks stand in dist/cli.
 */
const external = ["better-sqlite3", "http-mitm-proxy", "@peculiar/x509", "reflect-metadata", "yargs", "waymark"];
const examples = {
  name: "examples-stay-outside",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.\/examples\// }, ({ path }) => ({
      path: path.replace(/\.ts$/, ".js"),
      external: true,
    }));
  },
};

/** All verbs but `grade` stay what they are, ES modules. */
const otherVerbs = {
  name: "verbs-stay-outside",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/waymark\.ts$/ }, () => ({ path: "./waymark.js", external: true }));
  },
};

/** What CommonJS has in the place of `import.meta.url`. */
const OWN_URL = 'const importMetaUrl = require("node:url").pathToFileURL(__filename).href';

/** Looking for package.json takes as long as parsing a scenario. */
const version = {
  name: "version-stands-inside",
  setup({ onLoad }) {
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const contents = `export const WAYMARK_VERSION = ${JSON.stringify(version)};`;
    onLoad({ filter: /[\\/]proxy[\\/]record[\\/]version\.ts$/ }, () => ({ contents, loader: "ts" }));
  },
};

const KERNEL_OPTIONS =
  "-O3 --converge --runtime stub --noAssert --enable simd --importMemory --initialMemory 1 --maximumMemory 65536".split(
    " ",
  );

/** CommonJS packages in the bundle ask for Node's own modules by `require`, which an ES module does not have. */
const REQUIRE =
  'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);';

/** The programs, and what they start by file beside themselves: the threads of the evaluator, of learning and of reading, the process that asks a foreign database. */
const ENTRIES = {
  waymark: "cli/waymark.ts",
  // beside the chunks, where the files that start them look for them
  "recording-thread": "proxy/recording-thread.ts",
  thread: "grader/evaluator/lanes/thread.ts",
  "query-child": "grader/store/query-child.ts",
  "run-thread": "grader/learn/run-thread.ts",
};

/** The bins are CommonJS: before Node has loaded the first ES module, a tenth of the start of a small grade is over. */
const BINS = ["main", "grade-main"];

/**
 * `grade` is bundled apart, and as one script: compiled.ts can keep the compiled form of such a file, not that of ES
 * modules. Half of its start is the reading of its text; names in a stack are found by the source map beside it. What it
 * loads as an ES module it asks compiled.ts for, since code that was kept cannot use `import()`.
 */
const GRADE = {
  entryPoints: { "grade-program": "cli/grade-program.ts" },
  banner: {
    js: `${OWN_URL}, loadES = module.loadES ?? ((name) => import(name));`,
  },
  minifyIdentifiers: true,
};

async function bundleProgram() {
  const banner = { js: REQUIRE };
  await bundle({ entryPoints: ENTRIES, splitting: true, format: "esm", banner, chunkNames: "part-[hash]" });
  await bundleBins();
  await bundleScript(GRADE);
  await bundleScanThread();
  const program = join(cli, "grade-program.cjs");
  writeFileSync(program, readFileSync(program, "utf8").replaceAll('import("yargs")', 'loadES("yargs")'));
}

/** Whoever names an ES module, as `node dist/cli/main.js` does, gets there by one that is as short as can be. */
async function bundleBins() {
  await bundleScript({
    entryPoints: Object.fromEntries(BINS.map((bin) => [bin, `cli/${bin}.ts`])),
    plugins: [otherVerbs],
    sourcemap: false,
  });
  for (const bin of BINS) {
    const load = `process.getBuiltinModule("node:module").createRequire(import.meta.url)("./${bin}.cjs");`;
    writeFileSync(join(cli, `${bin}.js`), `#!/usr/bin/env node\n${load}\n`);
    rmSync(join(cli, `${bin}.js.map`));
  }
}

/** Started for a single log, so that it has to be there at once: a third of that was the loading of its modules. */
async function bundleScanThread() {
  await bundleScript({ entryPoints: { "scan-thread": "grader/read/scan-thread.ts" } });
  for (const file of ["scan-thread.cjs", "scan-thread.cjs.map"]) {
    copyFileSync(join(cli, file), join(root, "dist", "grader", "read", file));
  }
}

async function bundleScript(options) {
  await bundle({
    outExtension: { ".js": ".cjs" },
    format: "cjs",
    banner: { js: `${OWN_URL};` },
    define: { "import.meta.url": "importMetaUrl" },
    ...options,
  });
}

async function bundle(options) {
  await build({
    absWorkingDir: root,
    outdir: cli,
    bundle: true,
    platform: "node",
    target: "node20.19",
    sourcemap: true,
    sourcesContent: false,
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: "linked",
    logLevel: "warning",
    external,
    ...options,
    plugins: [examples, version, ...(options.plugins ?? [])],
  });
}

/** The kernel of threads that share a memory differs in this only. */
const SHARED_OPTIONS = ["--enable", "threads", "--sharedMemory"];

/**
 * Compiles the line kernel from AssemblyScript. It stands beside the module that loads it, and beside the bundle. The
 * compiler takes seconds, so its output is kept until source or compiler change.
 */
async function compileKernel(file, options) {
  const folder = join("grader", "read", "kernel");
  const source = join(folder, "lines.ts");
  const manifest = readFileSync(join(root, "node_modules", "assemblyscript", "package.json"));
  const hash = createHash("sha256").update(manifest);
  for (const name of readdirSync(join(root, folder)).sort()) hash.update(readFileSync(join(root, folder, name)));
  const cache = join(root, "node_modules", ".cache", "waymark");
  const kept = join(cache, `${hash.update(options.join(" ")).digest("hex").slice(0, 16)}.wasm`);
  if (!existsSync(kept)) {
    const { default: asc } = await import("assemblyscript/asc");
    const made = `${kept}.${process.pid}`;
    mkdirSync(cache, { recursive: true });
    const { error, stderr } = await asc.main(
      [source, "--outFile", relative(root, made), "--baseDir", root, ...options],
      {},
    );
    if (error) throw new Error(`the line kernel cannot be compiled:\n${stderr.toString()}`, { cause: error });
    renameSync(made, kept);
  }
  for (const folder of [join(root, "dist", "grader", "read"), cli]) copyFileSync(kept, join(folder, file));
}

/**
 * Scripts that run in processes of their own, outside of waymark's: CommonJS files that need nothing beside them. They
 * stand beside the modules that start them, and beside the bundle.
 */
async function bundleScripts() {
  const launch = join(root, "dist", "proxy", "launch");
  const options = {
    absWorkingDir: root,
    outExtension: { ".js": ".cjs" },
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node20.19",
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: "linked",
    logLevel: "warning",
  };
  const entryPoints = { guard: "proxy/launch/guard/main.ts", preload: "proxy/launch/preload/main.ts" };
  await build({ ...options, entryPoints, outdir: launch });
  // Of undici only what the preload needs, and as a file that is loaded when a program calls fetch.
  const contents = `
    Object.assign(require("undici/lib/dispatcher/dispatcher.js").prototype, require("undici/lib/api/index.js"));
    exports.ProxyAgent = require("undici/lib/dispatcher/proxy-agent.js");`;
  await build({ ...options, stdin: { contents, resolveDir: root }, outfile: join(launch, "preload-fetch.cjs") });
  for (const file of readdirSync(launch).filter((name) => name.includes(".cjs")))
    copyFileSync(join(launch, file), join(cli, file));
}

/**
 * The report's page: its types are checked on their own, since it runs in a browser, and its script and style become
 * one JSON file beside the module that reads it, and beside the bundle.
 */
async function bundlePage() {
  const page = join(root, "grader", "report", "page");
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  const { status } = spawnSync(process.execPath, [compiler, "-p", join(page, "app")], { stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new Error("the page's code has the errors above");
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: { page: "grader/report/page/app/main.tsx", style: "grader/report/page/app/style.css" },
    outdir: "page",
    bundle: true,
    write: false,
    minify: true,
    // A module would wait until all of the file has been read; this runs where it stands, before the logs behind it.
    format: "iife",
    // light-dark() and the compression streams are of 2024
    target: ["chrome123", "firefox120", "safari17.5"],
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    logLevel: "warning",
  });
  const textOf = (ending) => outputFiles.find(({ path }) => path.endsWith(ending)).text.trim();
  const asset = JSON.stringify({ script: textOf(".js"), style: textOf(".css") });
  for (const folder of [join(root, "dist", "grader", "report", "page"), cli]) {
    writeFileSync(join(folder, "page.json"), asset);
  }
}

await compileKernel("kernel.wasm", KERNEL_OPTIONS);
await compileKernel("kernel-shared.wasm", [...KERNEL_OPTIONS, ...SHARED_OPTIONS]);
await bundleScripts();
await bundleProgram();
await bundlePage();
