import { isIPv6 } from "node:net";
import { formatEndpoint } from "../proxy/intercept/authority.ts";
import { waymarkError } from "../proxy/record/fault.ts";

const FROM = /^(?:\[(?<address>[^\]]+)\]|(?<name>[^:[\]]+))(?::(?<port>[0-9]{1,5}))?$/;
const TO = /^(?:\[(?<address>[^\]]+)\]|(?<name>[^:[\]]+)):(?<port>[0-9]{1,5})$/;

/**
 * `events.example.com=127.0.0.1:8443`; the left side may name a port, the right side must. What could never be asked for
 * or never be reached is refused: a scheme, a `*`, a port out of range. Throws `WM_USAGE_MAP`.
 */
export function parseMapping(text: string): readonly [string, { host: string; port: number }] {
  const at = text.indexOf("=");
  const from = endpointOf(FROM, text.slice(0, Math.max(at, 0)));
  const to = endpointOf(TO, text.slice(at + 1));
  if (from === undefined || to === undefined || to.port === undefined) {
    throw waymarkError("WM_USAGE_MAP", `--map got "${text}", which is not HOST=HOST:PORT`);
  }
  const key = from.port === undefined ? from.host : formatEndpoint({ host: from.host, port: from.port });
  return [key, { host: to.host, port: to.port }];
}

function endpointOf(form: RegExp, text: string): { host: string; port: number | undefined } | undefined {
  if (isIPv6(text) && form === FROM) return { host: text.toLowerCase(), port: undefined };
  const groups = form.exec(text)?.groups;
  const { address, name = "", port } = groups ?? {};
  const isHost = address === undefined ? /^[\x21-\x7e]+$/.test(name) && !/[/@?#"'\\,;=*]/.test(name) : isIPv6(address);
  const isPort = port === undefined || (Number(port) > 0 && Number(port) < 65_536);
  if (!isHost || !isPort) return undefined;
  return { host: (address ?? name).toLowerCase(), port: port === undefined ? undefined : Number(port) };
}
