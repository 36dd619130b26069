// Microsoft's 1DS in Node, with a transport of the app's own over https.request, as VS Code does it.
import { request } from "node:https";
import oneDs from "@microsoft/1ds-core-js";
import post from "@microsoft/1ds-post-js";
import { EVENTS, say } from "../story.mjs";

const statuses = [];

function sendPOST(payload, done) {
  const headers = { ...payload.headers, "Content-Type": "application/json" };
  const outgoing = request(payload.urlString, { method: "POST", headers }, (response) => {
    let answer = "";
    response.setEncoding("utf8").on("data", (part) => {
      answer += part;
    });
    response.on("end", () => {
      statuses.push(response.statusCode);
      done(response.statusCode, response.headers, answer);
    });
  });
  outgoing.on("error", () => done(0, {}));
  outgoing.end(payload.data);
}

const core = new oneDs.AppInsightsCore();
const channel = new post.PostChannel();
core.initialize(
  {
    instrumentationKey: "0123456789abcdef0123456789abcdef-01234567-89ab-cdef-0123-456789abcdef-0123",
    disableCookiesUsage: true,
    extensions: [channel],
    extensionConfig: { [channel.identifier]: { httpXHROverride: { sendPOST }, alwaysUseXhrOverride: true } },
  },
  [],
);
let sent = 0;
let discarded = 0;
core.addNotificationListener({
  eventsSent: (events) => {
    sent += events.length;
  },
  eventsDiscarded: (events) => {
    discarded += events.length;
  },
});
for (const { name, data } of EVENTS) {
  core.track({ name, data, ext: { app: { sesId: "session-1" } } });
  await new Promise((resolve) => channel.flush(true, resolve));
}
for (let tries = 0; sent < EVENTS.length && tries < 200; tries++) {
  await new Promise((resolve) => setTimeout(resolve, 50)); // told of what was sent a little later
}
say(sent === EVENTS.length && discarded === 0, `eventsSent ${sent}, eventsDiscarded ${discarded}, HTTP ${statuses}`);
process.exit(0);
