// Rollbar for Node at its default endpoint.
import Rollbar from "rollbar";
import { EVENTS, say } from "../story.mjs";

const rollbar = new Rollbar({ accessToken: "0123456789abcdef0123456789abcdef", verbose: false });
const errors = [];
for (const { name, data } of EVENTS) {
  const error = await new Promise((resolve) => rollbar.info(name, data, resolve));
  if (error) errors.push(String(error));
}
say(errors.length === 0, errors.length === 0 ? "3 callbacks without error" : errors.join("; "));
process.exit(0);
