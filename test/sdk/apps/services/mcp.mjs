// An MCP server over streamable HTTP with one tool, for the client beside it: node mcp.mjs KEYFILE CERTFILE; prints its port.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";

const [key, cert] = process.argv.slice(2).map((file) => readFileSync(file));
const server = new McpServer({ name: "notes", version: "1.0.0" });
const shape = { name: z.string(), data: z.record(z.string(), z.unknown()) };
server.registerTool("note", { description: "takes a note", inputSchema: shape }, ({ name }) => ({
  content: [{ type: "text", text: `noted ${name}` }],
}));
const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID });
await server.connect(transport);
const listener = createServer({ key, cert }, (request, response) => void transport.handleRequest(request, response));
listener.listen(0, "127.0.0.1", () => process.stdout.write(`${listener.address().port}\n`));
