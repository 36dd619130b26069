// Application Insights for Node, version 3 (over OpenTelemetry), with nothing but its key.
import applicationInsights from "applicationinsights";
import { EVENTS, say } from "../story.mjs";

applicationInsights
  .setup("InstrumentationKey=00000000-0000-0000-0000-000000000001")
  .setAutoCollectConsole(false)
  .setAutoCollectPerformance(false, false)
  .setAutoCollectRequests(false)
  .setAutoCollectDependencies(false)
  .start();
const client = applicationInsights.defaultClient;
for (const { name, data } of EVENTS) client.trackEvent({ name, properties: data });
await client.flush();
say(true, "flush() resolved");
process.exit(0);
