// Snowplow for Node; everybody has a collector of their own.
import { buildSelfDescribingEvent, newTracker } from "@snowplow/node-tracker";
import { EVENTS, say } from "../story.mjs";

let answered = 0;
const failures = [];
const tracker = newTracker(
  { namespace: "chat", appId: "chat" },
  {
    endpoint: "https://sp.collector.acme.example",
    bufferSize: 1,
    connectionTimeout: 30_000,
    onRequestSuccess: (batch) => {
      answered += batch.length;
    },
    onRequestFailure: ({ status, message }) => failures.push(`${status} ${message}`),
  },
);
for (const { name, data } of EVENTS) {
  tracker.track(buildSelfDescribingEvent({ event: { schema: `iglu:example.acme/${name}/jsonschema/1-0-0`, data } }));
}
tracker.flush();
for (let tries = 0; answered < EVENTS.length && failures.length === 0 && tries < 600; tries++) {
  await new Promise((resolve) => setTimeout(resolve, 50));
}
say(answered === EVENTS.length, `onRequestSuccess for ${answered} events${failures.map((f) => `; ${f}`)}`);
process.exit(0);
