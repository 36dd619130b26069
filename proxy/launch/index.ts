/** Starting an app under the proxy: its environment, its processes, its output, its end. */
export { type BrowserCommand, type BrowserSurroundings, browserArguments, profilesFolder } from "./browser.ts";
export { findBrowser } from "./browser-places.ts";
export { type EnvironmentOrder, launchEnvironment, type PreparedEnvironment } from "./environment.ts";
export { type Interactive, launchInteractive } from "./interactive.ts";
export { type Launch, type LaunchDetails, type LaunchEnd, type LaunchOrder, launch } from "./launch.ts";
export type { OutputSummary } from "./output.ts";
export { type ProgramSurroundings, programVariables } from "./variables.ts";
