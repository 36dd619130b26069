import { RudderAnalytics } from "@rudderstack/analytics-js/bundled";
import { EVENTS } from "../story.mjs";

globalThis.tell = async () => {
  const analytics = new RudderAnalytics();
  analytics.load("0123456789abcdef", "https://acme.dataplane.rudderstack.com");
  await new Promise((resolve) => analytics.ready(resolve));
  for (const { name, data } of EVENTS) analytics.track(name, data);
  await new Promise((resolve) => setTimeout(resolve, 2_000)); // its queue says nothing of what was delivered
  return "ready() called back";
};
