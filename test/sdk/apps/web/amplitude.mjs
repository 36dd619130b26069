import * as amplitude from "@amplitude/analytics-browser";
import { EVENTS, USER } from "../story.mjs";

globalThis.tell = async () => {
  await amplitude.init("0123456789abcdef0123456789abcdef", USER).promise;
  const tracked = EVENTS.map(({ name, data }) => amplitude.track(name, data).promise);
  await amplitude.flush().promise;
  const codes = (await Promise.all(tracked)).map(({ code }) => code);
  return codes.every((code) => code === 200) && `track() resolved with code ${codes}`;
};
