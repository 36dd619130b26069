// Sentry for Node with a DSN as sentry.io gives it.
import * as Sentry from "@sentry/node";
import { EVENTS, say } from "../story.mjs";

Sentry.init({ dsn: "https://0123456789abcdef0123456789abcdef@o4500000000000001.ingest.us.sentry.io/4500000000000002" });
for (const { name, data } of EVENTS) Sentry.captureMessage(name, { level: "info", extra: data });
const isFlushed = await Sentry.close(8_000);
say(isFlushed, `close() resolved with ${isFlushed}`);
