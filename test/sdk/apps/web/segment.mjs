import { AnalyticsBrowser } from "@segment/analytics-next";
import { EVENTS } from "../story.mjs";

globalThis.tell = async () => {
  const analytics = AnalyticsBrowser.load({ writeKey: "0123456789abcdef" });
  for (const { name, data } of EVENTS) {
    const context = await analytics.track(name, data);
    const failure = context.failedDelivery();
    if (failure) throw failure.reason;
  }
  return "track() resolved, no failed delivery";
};
