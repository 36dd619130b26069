// Statsig's server SDK for Node at its default hosts.
import Statsig from "statsig-node";
import { EVENTS, say, USER } from "../story.mjs";

const { success } = await Statsig.initialize("secret-0123456789abcdef");
for (const { name, data } of EVENTS) Statsig.logEvent({ userID: USER }, name, 1.5, data);
await Statsig.flush();
await Statsig.shutdownAsync();
say(success, `initialize() and flush() resolved, success ${success}`);
process.exit(0);
