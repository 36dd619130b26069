import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What a project is like, as far as `init` has to know. */
export interface Project {
  /** What starts the app or the agent; absent when nobody can tell. */
  readonly command?: string;
  /** Hosts of telemetry besides those waymark knows. */
  readonly hosts: readonly string[];
  readonly ci: boolean;
  /** What was found: `Playwright`, `pytest`, `Electron`, `npm`... */
  readonly found: readonly string[];
}

/** Looks at the files of a folder: what starts the app, and whether there is a GitHub workflow. Never throws. */
export function guessProject(folder: string): Project {
  const manifest = manifestIn(folder);
  const packages = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
  const has = (file: string): boolean => existsSync(join(folder, file));
  const found = [
    ...(packages.some((name) => /^(?:@playwright\/test|playwright)/.test(name)) || has("playwright.config.ts")
      ? ["Playwright"]
      : []),
    ...(packages.includes("electron") ? ["Electron"] : []),
    ...(has("pytest.ini") || has("conftest.py") || textOf(join(folder, "pyproject.toml")).includes("pytest")
      ? ["pytest"]
      : []),
    ...LOCK_FILES.filter(([file]) => has(file)).map(([, name]) => name),
  ];
  const command = commandFor(folder, { manifest, found });
  return { ...(command === undefined ? {} : { command }), hosts: [], ci: has(join(".github", "workflows")), found };
}

const LOCK_FILES = [
  ["package-lock.json", "npm"],
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["uv.lock", "uv"],
] as const;

interface Manifest {
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

function manifestIn(folder: string): Manifest {
  try {
    const parsed: unknown = JSON.parse(textOf(join(folder, "package.json")));
    return typeof parsed === "object" && parsed !== null ? (parsed as Manifest) : {};
  } catch {
    return {}; // none, or broken: nothing to guess from
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function commandFor(
  folder: string,
  { manifest, found }: { manifest: Manifest; found: readonly string[] },
): string | undefined {
  const agent = AGENTS.find(([file]) => existsSync(join(folder, file)));
  if (agent !== undefined) return agent[1];
  if (typeof manifest.scripts?.["agent"] === "string") return "npm run agent";
  if (found.includes("Playwright")) return "npx playwright test";
  if (found.includes("pytest")) return found.includes("uv") ? "uv run pytest" : "pytest";
  return typeof manifest.scripts?.["start"] === "string" ? "npm start" : undefined;
}

const AGENTS = [
  ["agent.js", "node agent.js"],
  ["agent.mjs", "node agent.mjs"],
  ["agent.py", "python3 agent.py"],
] as const;
