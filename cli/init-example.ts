import { join } from "node:path";

export const SCENARIO_FILE = join("markers", "example.yaml");

/** A scenario to be changed: valid as it stands, with the schema line that gives editors completion and hover. */
export function exampleScenario(): string {
  return `# yaml-language-server: $schema=../node_modules/waymark/markers/scenario.schema.json
waymark: 1
scenario: example
title: Sign in, then send a message          # change everything below to what your app reports
markers:                                     # have to occur in this order; anything may come between
  - name: Signed in
    event: login
  - name: Message sent
    event: message_sent
    where:
      data.length|gte: 1                     # field tests: docs/markers.md lists them
    within: 30s                              # at most so long after the marker before
rules:
  - name: No crash
    never: { event: app_crash }
`;
}
