import { ApplicationInsights } from "@microsoft/applicationinsights-web";
import { EVENTS } from "../story.mjs";

globalThis.tell = async () => {
  const client = new ApplicationInsights({
    config: { connectionString: "InstrumentationKey=00000000-0000-0000-0000-000000000001" },
  });
  client.loadAppInsights();
  for (const { name, data } of EVENTS) client.trackEvent({ name, properties: data });
  await new Promise((resolve) => client.flush(true, resolve));
  return "flush() called back";
};
