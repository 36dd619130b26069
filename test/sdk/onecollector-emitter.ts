// A Node app with Microsoft's real 1DS SDK, as a child process: tracks one chat_switch per chat named on the command line,
// sends them to the SDK's endpoint through HTTPS_PROXY, and prints one JSON line per body it handed to the network.
import { createHash } from "node:crypto";
import { request } from "node:https";
import { AppInsightsCore, type IExtendedConfiguration, type IPayloadData } from "@microsoft/1ds-core-js";
import { PostChannel } from "@microsoft/1ds-post-js";
import { proxyGateway, TunnelAgent } from "../../examples/chat/tunnel.ts";

const agent = new TunnelAgent(proxyGateway(process.env["HTTPS_PROXY"] ?? ""));
const sha256 = (body: string): string => createHash("sha256").update(body).digest("hex");

function sendPOST(
  payload: IPayloadData,
  done: (status: number, headers: Record<string, string>, body?: string) => void,
): void {
  const body = String(payload.data);
  const headers = {
    ...payload.headers,
    "Content-Type": "application/json",
    "Content-Length": String(Buffer.byteLength(body)),
  };
  process.stdout.write(`${JSON.stringify({ sha256: sha256(body), bytes: Buffer.byteLength(body) })}\n`);
  const outgoing = request(payload.urlString, { method: "POST", agent, headers }, (response) => {
    let answer = "";
    response.setEncoding("utf8").on("data", (part: string) => {
      answer += part;
    });
    response.on("end", () => done(response.statusCode ?? 0, response.headers as Record<string, string>, answer));
  });
  outgoing.on("error", () => done(0, {}));
  outgoing.end(body);
}

const core = new AppInsightsCore();
const channel = new PostChannel();
const configuration: IExtendedConfiguration = {
  instrumentationKey: "0123456789abcdef0123456789abcdef-01234567-89ab-cdef-0123-456789abcdef-0123",
  endpointUrl: "https://mobile.events.data.microsoft.com/OneCollector/1.0",
  disableCookiesUsage: true,
  extensions: [channel],
  extensionConfig: { [channel.identifier]: { httpXHROverride: { sendPOST }, alwaysUseXhrOverride: true } },
};
core.initialize(configuration, []);
for (const chatId of process.argv.slice(2)) {
  core.track({
    name: "chat_switch",
    data: { Action: { Gesture: "click" }, chatId },
    ext: { app: { sesId: "sdk-session" } },
  });
  await new Promise<void>((resolve) => channel.flush(true, () => resolve()));
}
agent.destroy();
process.exit(0);
