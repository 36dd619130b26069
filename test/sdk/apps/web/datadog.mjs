import { datadogLogs } from "@datadog/browser-logs";
import { datadogRum } from "@datadog/browser-rum";
import { EVENTS } from "../story.mjs";

// Both collect for half a minute, or until the page is left.
globalThis.tell = async () => {
  const common = { clientToken: "pub0123456789abcdef0123456789abcdef", site: "datadoghq.com", service: "chat" };
  datadogRum.init({ ...common, applicationId: "01234567-89ab-cdef-0123-456789abcdef", sessionReplaySampleRate: 0 });
  datadogLogs.init(common);
  for (const { name, data } of EVENTS) datadogRum.addAction(name, data);
  datadogLogs.logger.info("chat ready", EVENTS[0].data);
  await new Promise((resolve) => setTimeout(resolve, 3_000)); // what is told while it starts is kept back at first
};
