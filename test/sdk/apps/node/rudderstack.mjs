// RudderStack for Node with a data plane as its cloud gives it.
import RudderAnalytics from "@rudderstack/rudder-sdk-node";
import { EVENTS, say, USER } from "../story.mjs";

const analytics = new RudderAnalytics("0123456789abcdef", { dataPlaneUrl: "https://acme.dataplane.rudderstack.com" });
const errors = [];
let delivered = 0;
for (const { name, data } of EVENTS) {
  analytics.track({ userId: USER, event: name, properties: data }, (error) => {
    if (error) errors.push(String(error));
    else delivered += 1;
  });
}
await new Promise((resolve) => analytics.flush(resolve));
await new Promise((resolve) => setTimeout(resolve, 200)); // the first event flushes by itself
say(
  delivered === EVENTS.length && errors.length === 0,
  `${delivered} callbacks without error${errors.map((e) => `; ${e}`)}`,
);
process.exit(0);
