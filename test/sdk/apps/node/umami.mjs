// Umami for Node at Umami's cloud.
import module from "@umami/node";
import { EVENTS, say, texts } from "../story.mjs";

const umami = new module.Umami({
  websiteId: "01234567-89ab-cdef-0123-456789abcdef",
  hostUrl: "https://cloud.umami.is",
});
const statuses = [];
for (const { name, data } of EVENTS) {
  const answer = await umami.track(name, texts(data));
  statuses.push(answer.status);
  await answer.text();
}
say(
  statuses.every((status) => status === 200),
  `track() resolved with ${statuses}`,
);
