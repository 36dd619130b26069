/** Starting an app under the proxy: its environment, its processes, its output, its end. */
export { type Launch, type LaunchDetails, type LaunchEnd, type LaunchOrder, launch } from "./launch.ts";
export type { OutputSummary } from "./output.ts";
