import { StatsigClient } from "@statsig/js-client";
import { EVENTS, texts, USER } from "../story.mjs";

globalThis.tell = async () => {
  const client = new StatsigClient("client-0123456789abcdef", { userID: USER });
  const { success, error } = await client.initializeAsync();
  let flushed = 0;
  client.on("logs_flushed", ({ events }) => {
    flushed += events.length;
  });
  for (const { name, data } of EVENTS) client.logEvent(name, 1.5, texts(data));
  await client.flush();
  if (!success) throw error ?? new Error("not initialized");
  return flushed >= EVENTS.length && `initializeAsync() resolved, logs_flushed ${flushed}`;
};
