// PostHog for Node at its default host.
import { PostHog } from "posthog-node";
import { EVENTS, say, USER } from "../story.mjs";

const client = new PostHog("phc_0123456789abcdef");
const errors = [];
client.on("error", (error) => errors.push(String(error)));
for (const { name, data } of EVENTS) client.capture({ distinctId: USER, event: name, properties: data });
await client.flush();
await client.shutdown();
say(errors.length === 0, errors.length === 0 ? "flush() resolved, no error event" : errors.join("; "));
