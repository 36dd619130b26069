import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isObject, parseJson } from "../../../proxy/record/json.ts";

/** Where a browser's DevTools listen: the profile folder it was started with, or its port. */
export interface DevtoolsPlace {
  readonly profileFolder?: string;
  readonly debuggingPort?: number;
}

/** Chromium writes this into its profile folder once it listens: the port, and the path of the browser's own socket. */
const PORT_FILE = "DevToolsActivePort";

/** The browser's WebSocket address; undefined as long as it does not listen. Never throws. */
export async function devtoolsUrl({ profileFolder, debuggingPort }: DevtoolsPlace): Promise<string | undefined> {
  const fromFile = profileFolder === undefined ? undefined : await urlInProfile(profileFolder);
  return fromFile ?? (debuggingPort === undefined || debuggingPort === 0 ? undefined : urlAtPort(debuggingPort));
}

async function urlInProfile(folder: string): Promise<string | undefined> {
  const text = await readFile(join(folder, PORT_FILE), "utf8").catch(() => ""); // not there yet
  const { port, path } = /^(?<port>[0-9]{1,5})\r?\n(?<path>\/devtools\/browser\/[\w-]+)/.exec(text)?.groups ?? {};
  return port === undefined || path === undefined ? undefined : `ws://127.0.0.1:${port}${path}`;
}

async function urlAtPort(port: number): Promise<string | undefined> {
  try {
    const signal = AbortSignal.timeout(2000);
    const answer = parseJson(await (await fetch(`http://127.0.0.1:${port}/json/version`, { signal })).text());
    const url = isObject(answer) ? answer["webSocketDebuggerUrl"] : undefined;
    return typeof url === "string" ? url : undefined;
  } catch {
    return undefined; // nobody listens yet, or it is no browser
  }
}
