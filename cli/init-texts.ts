import { join } from "node:path";
import type { Project } from "./init-guess.ts";

/** What waymark leaves behind and nobody wants in a repository. */
export const IGNORED = [".waymark/", "logs/", "waymark-demo/", "report.html", "report-files/", "waymark-junit.xml"];

export const WORKFLOW_FILE = join(".github", "workflows", "waymark.yml");

/** The configuration of a new project; JSON's quotes are YAML's. */
export function configText({ command, hosts }: Project): string {
  const own = command === undefined ? "# command: node agent.js" : `command: ${JSON.stringify(command)}`;
  const telemetry =
    hosts.length === 0
      ? "  # host: [events.example.com]        # hosts of telemetry, besides the known ones"
      : `  host: ${JSON.stringify(hosts)}`;
  return `# yaml-language-server: $schema=./node_modules/waymark/docs/config.schema.json
# What stands here holds until the command line, WAYMARK_<OPTION> or a profile says otherwise:
# \`npx waymark config show\` tells which it was.
waymark: 1
${own.padEnd(36)}   # what \`waymark run\` starts when nothing stands behind --
options:                                # for every verb that has them
  markers: markers
${telemetry}
verbs:                                  # for one verb
  run:
    runs: 5
    gate: all
    timeout: 5m
profiles:                               # waymark run --profile ci
  ci:
    options:
      reporter: [auto, junit=waymark-junit.xml, html=report.html]
    verbs:
      run: { gate: 4/5, retry-errors: 1 }
`;
}

/** A workflow that runs the project's command and keeps the report, which GitHub opens in the browser. */
export function workflowText({ command, found }: Project): string {
  const install = INSTALLS.find(([name]) => found.includes(name))?.[1] ?? "npm ci";
  const own = command === undefined ? " -- node agent.js" : "";
  return `name: waymark
on: [push, pull_request]
permissions:
  contents: read
jobs:
  grade:
    runs-on: ubuntu-latest
    timeout-minutes: 30
    steps:
      - uses: actions/checkout@v5
      - uses: actions/setup-node@v5
        with: { node-version: 22 }
      - run: ${install}
      - run: npx waymark run --profile ci${own}
      - uses: actions/upload-artifact@v5
        if: \${{ !cancelled() }}
        with:
          name: waymark
          path: |
            report.html
            waymark-junit.xml
          if-no-files-found: ignore
`;
}

const INSTALLS = [
  ["pnpm", "corepack enable && pnpm install --frozen-lockfile"],
  ["yarn", "corepack enable && yarn install --immutable"],
  ["npm", "npm ci"],
] as const;
