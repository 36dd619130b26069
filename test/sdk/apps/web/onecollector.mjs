import { AppInsightsCore } from "@microsoft/1ds-core-js";
import { PostChannel } from "@microsoft/1ds-post-js";
import { EVENTS } from "../story.mjs";

globalThis.tell = async () => {
  const core = new AppInsightsCore();
  const channel = new PostChannel();
  core.initialize(
    {
      instrumentationKey: "0123456789abcdef0123456789abcdef-01234567-89ab-cdef-0123-456789abcdef-0123",
      extensions: [channel],
    },
    [],
  );
  let sent = 0;
  core.addNotificationListener({
    eventsSent: (events) => {
      sent += events.length;
    },
  });
  for (const { name, data } of EVENTS) {
    core.track({ name, data });
    await new Promise((resolve) => channel.flush(true, resolve));
  }
  for (let tries = 0; sent < EVENTS.length && tries < 200; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 50)); // told of what was sent a little later
  }
  return sent === EVENTS.length && `eventsSent ${sent}`;
};
