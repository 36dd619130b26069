// Application Insights for Node, version 2, with nothing but its key.
import applicationInsights from "applicationinsights-2";
import { EVENTS, say } from "../story.mjs";

applicationInsights
  .setup("InstrumentationKey=00000000-0000-0000-0000-000000000001")
  .setAutoCollectConsole(false)
  .setAutoCollectPerformance(false, false)
  .setAutoCollectExceptions(false)
  .setAutoCollectRequests(false)
  .setAutoCollectDependencies(false)
  .start();
const client = applicationInsights.defaultClient;
for (const { name, data } of EVENTS) client.trackEvent({ name, properties: data });
const answer = await new Promise((resolve) => client.flush({ callback: resolve }));
say(/"itemsAccepted":\s*3/.test(String(answer)), `flush callback: ${answer}`);
process.exit(0);
