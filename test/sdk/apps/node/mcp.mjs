// A client of the Model Context Protocol over streamable HTTP.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { EVENTS, say } from "../story.mjs";

const client = new Client({ name: "chat", version: "1.0.0" });
await client.connect(new StreamableHTTPClientTransport(new URL("https://mcp.acme.example/mcp")));
const { tools } = await client.listTools();
const answers = [];
for (const { name, data } of EVENTS) {
  const { content } = await client.callTool({ name: "note", arguments: { name, data } });
  answers.push(content[0]?.text);
}
await client.close();
say(tools[0]?.name === "note" && answers.every((text, at) => text === `noted ${EVENTS[at].name}`), answers.join(", "));
process.exit(0);
