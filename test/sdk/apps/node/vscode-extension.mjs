// A VS Code extension with Microsoft's telemetry module; the editor's own module is stood in for, as far as that one asks.
import { subscribe } from "node:diagnostics_channel";
import Module, { createRequire } from "node:module";
import { EVENTS, say, texts } from "../story.mjs";

const nothing = () => ({ dispose() {} });
const editor = {
  version: "1.99.0",
  EventEmitter: class {
    event = nothing;
    fire() {}
    dispose() {}
  },
  TelemetryTrustedValue: class {},
  UIKind: { Desktop: 1, Web: 2 },
  env: {
    machineId: "machine-1",
    sessionId: "session-1",
    language: "en",
    appName: "Code",
    appRoot: "/app",
    uiKind: 1,
    isTelemetryEnabled: true,
    onDidChangeTelemetryEnabled: nothing,
    createTelemetryLogger(sender) {
      const log = (name, { properties = {}, measurements = {} } = {}) =>
        sender.sendEventData(`acme.chat/${name}`, {
          properties: { ...properties, "common.vscodesessionid": "session-1" },
          measurements,
        });
      const dispose = () => sender.flush();
      return {
        onDidChangeEnableStates: nothing,
        isUsageEnabled: true,
        isErrorsEnabled: true,
        logUsage: log,
        logError: log,
        dispose,
      };
    },
  },
  workspace: { onDidChangeConfiguration: nothing, getConfiguration: () => ({ get: () => "all" }) },
  extensions: { getExtension: () => undefined },
};
const load = Module._load;
Module._load = (id, ...rest) => (id === "vscode" ? editor : load(id, ...rest));
const { TelemetryReporter } = createRequire(import.meta.url)("@vscode/extension-telemetry");

const answered = new Promise((resolve) => {
  const seen = ({ request, response }) => {
    if (request.host === "mobile.events.data.microsoft.com") resolve(response.statusCode);
  };
  subscribe("http.client.response.finish", seen); // the module itself says nothing of how sending went
  setTimeout(resolve, 40_000, "no answer").unref();
});
const reporter = new TelemetryReporter("0123456789abcdef0123456789abcdef-01234567-89ab-cdef-0123-456789abcdef-0123");
for (const { name, data } of EVENTS) reporter.sendTelemetryEvent(name, texts(data), {});
const status = await answered;
await reporter.dispose();
say(status === 200, `HTTP ${status}, dispose() resolved`);
process.exit(0);
