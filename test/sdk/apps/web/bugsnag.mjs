import Bugsnag from "@bugsnag/js";
import { EVENTS } from "../story.mjs";

globalThis.tell = async () => {
  const quiet = { debug() {}, info() {}, warn() {}, error() {} };
  Bugsnag.start({ apiKey: "0123456789abcdef0123456789abcdef", logger: quiet });
  for (const { name, data } of EVENTS) {
    const error = await new Promise((resolve) =>
      Bugsnag.notify(new Error(name), (event) => event.addMetadata("data", data), resolve),
    );
    if (error) throw error;
  }
  return "3 callbacks without error";
};
