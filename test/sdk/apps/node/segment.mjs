// Segment's Analytics for Node at its default host.
import { Analytics } from "@segment/analytics-node";
import { EVENTS, say, USER } from "../story.mjs";

const analytics = new Analytics({ writeKey: "0123456789abcdef" });
const errors = [];
let delivered = 0;
analytics.on("error", ({ code, reason }) => errors.push(`${code} ${reason}`));
for (const { name, data } of EVENTS) {
  analytics.track({ userId: USER, event: name, properties: data }, (error) => {
    if (error === undefined) delivered += 1;
    else errors.push(String(error));
  });
}
await analytics.closeAndFlush({ timeout: 10_000 });
say(
  delivered === EVENTS.length && errors.length === 0,
  `${delivered} callbacks without error${errors.map((e) => `; ${e}`)}`,
);
