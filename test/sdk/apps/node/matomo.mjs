// A Matomo tracker for Node with an address as Matomo's cloud gives it.
import MatomoTracker from "matomo-tracker";
import { EVENTS, say, USER } from "../story.mjs";

const matomo = new MatomoTracker(7, "https://acme.matomo.cloud/matomo.php");
const errors = [];
matomo.on("error", (error) => errors.push(String(error)));
const hits = EVENTS.map(({ name, data }) => ({
  url: "https://chat.acme.example/",
  e_c: "chat",
  e_a: name,
  uid: USER,
  dimension1: JSON.stringify(data),
}));
const answer = await new Promise((resolve) => matomo.trackBulk(hits, resolve));
say(errors.length === 0 && JSON.parse(answer).tracked === EVENTS.length, `bulk answer ${answer}`);
process.exit(0);
