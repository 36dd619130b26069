import { track } from "@minimal-analytics/ga4";
import { EVENTS, flat } from "../story.mjs";

// It sends beacons, of which a page hears nothing.
globalThis.tell = async () => {
  for (const { name, data } of EVENTS) {
    const event = Object.fromEntries(
      Object.entries(flat(data)).map(([key, value]) =>
        typeof value === "number" ? [`epn.${key}`, value] : [`ep.${key}`, String(value)],
      ),
    );
    track("G-0123456789", { type: name, event });
    await new Promise((resolve) => setTimeout(resolve, 100)); // events of one moment are sent out of order
  }
};
