import { initialize } from "launchdarkly-js-client-sdk";
import { EVENTS, USER } from "../story.mjs";

globalThis.tell = async () => {
  const client = initialize("0123456789abcdef01234567", { kind: "user", key: USER });
  await client.waitForInitialization(20);
  for (const { name, data } of EVENTS) client.track(name, data, 1.5);
  await client.flush();
  return "initialized, flush() resolved";
};
