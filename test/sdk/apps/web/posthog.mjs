import posthog from "posthog-js";
import { EVENTS } from "../story.mjs";

globalThis.tell = async () => {
  // A headless browser counts as a bot otherwise, whose events are dropped.
  posthog.init("phc_0123456789abcdef", { opt_out_useragent_filter: true, disable_session_recording: true });
  for (const { name, data } of EVENTS) posthog.capture(name, data);
  await new Promise((resolve) => setTimeout(resolve, 4_000)); // it sends every three seconds
};
