// LaunchDarkly's server SDK for Node at its default hosts, streaming its flags.
import { init } from "@launchdarkly/node-server-sdk";
import { EVENTS, say, USER } from "../story.mjs";

const said = [];
const logger = { debug() {}, info() {}, warn: (text) => said.push(text), error: (text) => said.push(text) };
const client = init("sdk-01234567-89ab-cdef-0123-456789abcdef", { logger });
await client.waitForInitialization({ timeout: 5 }).catch((error) => said.push(String(error)));
for (const { name, data } of EVENTS) client.track(name, { kind: "user", key: USER }, data, 1.5);
await client.flush();
client.close();
say(client.initialized() && said.length === 0, said.length === 0 ? "initialized, flush() resolved" : said.join("; "));
process.exit(0);
