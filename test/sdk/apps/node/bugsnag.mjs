// Bugsnag for Node at its default endpoints.
import Bugsnag from "@bugsnag/js";
import { EVENTS, say } from "../story.mjs";

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
Bugsnag.start({ apiKey: "0123456789abcdef0123456789abcdef", logger: quiet });
const errors = [];
for (const { name, data } of EVENTS) {
  const error = await new Promise((resolve) =>
    Bugsnag.notify(new Error(name), (event) => event.addMetadata("data", data), resolve),
  );
  if (error) errors.push(String(error));
}
say(errors.length === 0, errors.length === 0 ? "3 callbacks without error" : errors.join("; "));
process.exit(0);
