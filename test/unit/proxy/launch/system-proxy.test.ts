import assert from "node:assert/strict";
import test from "node:test";
import type { Command } from "../../../../proxy/launch/system/command-runner.ts";
import { macosProxy } from "../../../../proxy/launch/system/macos.ts";
import { windowsProxy } from "../../../../proxy/launch/system/windows.ts";

const PLACE = { host: "127.0.0.1", port: 8899 };
const KEY = "HKCU\\Software\\Microsoft\\Windows\\CurrentVersion\\Internet Settings";

/** Answers as the system's tool does, by the arguments; what is not known fails, as `reg query` of an absent value does. */
function tool(answers: Readonly<Record<string, string>>) {
  return async (command: Command): Promise<string> => {
    const answer = answers[command.slice(1).join(" ")];
    if (answer === undefined) throw new Error(`ERROR: ${command.join(" ")}`);
    return answer;
  };
}

test("macOS: every service that is on gets both proxies and no bypass list, and gets its own back", async () => {
  const run = tool({
    "-listallnetworkservices":
      "An asterisk (*) denotes that a network service is disabled.\nWi-Fi\n*Thunderbolt Bridge\nUSB 10/100 LAN\n",
    "-getwebproxy Wi-Fi": "Enabled: Yes\nServer: proxy.corp.example\nPort: 3128\nAuthenticated Proxy Enabled: 0\n",
    "-getsecurewebproxy Wi-Fi": "Enabled: No\nServer: \nPort: 0\nAuthenticated Proxy Enabled: 0\n",
    "-getproxybypassdomains Wi-Fi": "*.local\n169.254/16\n",
    "-getwebproxy USB 10/100 LAN": "Enabled: No\nServer: \nPort: 0\n",
    "-getsecurewebproxy USB 10/100 LAN": "Enabled: Yes\nServer: 127.0.0.1\nPort: 8899\n",
    "-getproxybypassdomains USB 10/100 LAN": "There aren't any bypass domains set on USB 10/100 LAN.\n",
  });
  const { set, restore } = await macosProxy.plan(run, PLACE);
  assert.deepEqual(set.slice(0, 3), [
    ["networksetup", "-setproxybypassdomains", "Wi-Fi", "Empty"],
    ["networksetup", "-setwebproxy", "Wi-Fi", "127.0.0.1", "8899"],
    ["networksetup", "-setsecurewebproxy", "Wi-Fi", "127.0.0.1", "8899"],
  ]);
  assert.deepEqual(restore.slice(0, 4), [
    ["networksetup", "-setwebproxy", "Wi-Fi", "proxy.corp.example", "3128"],
    ["networksetup", "-setwebproxystate", "Wi-Fi", "on"],
    ["networksetup", "-setsecurewebproxystate", "Wi-Fi", "off"],
    ["networksetup", "-setproxybypassdomains", "Wi-Fi", "*.local", "169.254/16"],
  ]);
  assert.deepEqual(restore.at(-1), ["networksetup", "-setproxybypassdomains", "USB 10/100 LAN", "Empty"]);
  assert.equal(await macosProxy.isSet(run, PLACE), true);
  assert.equal(await macosProxy.isSet(run, { ...PLACE, port: 1 }), false);
});

test("Windows: values that were there come back, values that were not are removed, programs are told", async () => {
  const row = (name: string, type: string, data: string): string =>
    `\r\n${KEY}\r\n    ${name}    ${type}    ${data}\r\n\r\n`;
  const run = tool({
    [`query ${KEY} /v ProxyEnable`]: row("ProxyEnable", "REG_DWORD", "0x0"),
    [`query ${KEY} /v AutoConfigURL`]: row("AutoConfigURL", "REG_SZ", "http://wpad.corp.example/proxy.pac"),
  });
  const { set, restore } = await windowsProxy.plan(run, PLACE);
  const add = (name: string, type: string, data: string) => [
    "reg",
    "add",
    KEY,
    "/v",
    name,
    "/t",
    type,
    "/d",
    data,
    "/f",
  ];
  const remove = (name: string) => ["reg", "delete", KEY, "/v", name, "/f"];
  assert.deepEqual(set.slice(0, 4), [
    add("ProxyServer", "REG_SZ", "127.0.0.1:8899"),
    add("ProxyOverride", "REG_SZ", "<-loopback>"),
    remove("AutoConfigURL"),
    add("ProxyEnable", "REG_DWORD", "1"),
  ]);
  assert.deepEqual(restore.slice(0, 4), [
    remove("ProxyServer"),
    remove("ProxyOverride"),
    add("AutoConfigURL", "REG_SZ", "http://wpad.corp.example/proxy.pac"),
    add("ProxyEnable", "REG_DWORD", "0x0"),
  ]);
  assert.deepEqual([set.at(-1)?.[0], restore.at(-1)?.[0]], ["powershell", "powershell"]);
  assert.equal(await windowsProxy.isSet(run, PLACE), false);
});
