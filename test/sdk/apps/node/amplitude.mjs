// Amplitude for Node at its default server.
import * as amplitude from "@amplitude/analytics-node";
import { EVENTS, say, USER } from "../story.mjs";

await amplitude.init("0123456789abcdef0123456789abcdef").promise;
const tracked = EVENTS.map(
  ({ name, data }) => amplitude.track(name, data, { user_id: USER, session_id: 1700000000000 }).promise,
);
await amplitude.flush().promise;
const codes = (await Promise.all(tracked)).map(({ code }) => code);
say(
  codes.every((code) => code === 200),
  `track() resolved with code ${codes}`,
);
