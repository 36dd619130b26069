// Mixpanel for Node at its default host.
import Mixpanel from "mixpanel";
import { EVENTS, say, USER } from "../story.mjs";

const mixpanel = Mixpanel.init("0123456789abcdef0123456789abcdef");
const errors = [];
for (const { name, data } of EVENTS) {
  const error = await new Promise((resolve) => mixpanel.track(name, { distinct_id: USER, ...data }, resolve));
  if (error) errors.push(String(error));
}
say(errors.length === 0, errors.length === 0 ? "3 callbacks without error" : errors.join("; "));
