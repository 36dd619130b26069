import { newTracker, trackSelfDescribingEvent } from "@snowplow/browser-tracker";
import { EVENTS } from "../story.mjs";

globalThis.tell = async () => {
  let answered = 0;
  const failures = [];
  const done = new Promise((resolve) => {
    newTracker("chat", "https://sp.collector.acme.example", {
      appId: "chat",
      connectionTimeout: 30_000,
      onRequestSuccess: (batch) => {
        answered += batch.length;
        if (answered === EVENTS.length) resolve();
      },
      onRequestFailure: ({ status, message }) => {
        failures.push(`${status} ${message}`);
        resolve();
      },
    });
  });
  for (const { name, data } of EVENTS) {
    trackSelfDescribingEvent({ event: { schema: `iglu:example.acme/${name}/jsonschema/1-0-0`, data } });
  }
  await done;
  if (failures.length > 0) throw new Error(failures.join("; "));
  return `onRequestSuccess for ${answered} events`;
};
