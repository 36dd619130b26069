// Runs after tsc: bundles the command line program into a few files of its own, since loading some three hundred modules
// takes longer than grading a small log. The library's modules stay as tsc wrote them.
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
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

/** CommonJS packages in the bundle ask for Node's own modules by `require`, which an ES module does not have. */
const REQUIRE =
  'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);';

async function bundleProgram() {
  for (const entry of ["main", "grade-main"]) rmSync(join(cli, `${entry}.js.map`));
  await build({
    absWorkingDir: root,
    entryPoints: ["cli/main.ts", "cli/grade-main.ts"],
    outdir: cli,
    chunkNames: "part-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    sourcemap: true,
    sourcesContent: false,
    banner: { js: REQUIRE },
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: "linked",
    logLevel: "warning",
    external,
    plugins: [examples],
  });
}

await bundleProgram();
