import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { benchFolder } from "./generate.ts";
import { benchScript, fileFromRoot, type Program, type Service, startService, WAYMARK } from "./processes.ts";

/** A way from the client to the origin. */
export interface Way {
  readonly name: WayName;
  readonly service?: Service;
  /** The certificate its client has to trust. */
  readonly caFile: string;
}

export const DIRECT = "direct";
export const TUNNEL = "blind tunnel";
export const OURS = "waymark proxy";
export const MITM = "http-mitm-proxy, keep-alive";
export const MOCKTTP = "mockttp";
export const MITMDUMP = "mitmdump";
export const WAYS = [DIRECT, TUNNEL, OURS, MITM, MOCKTTP, MITMDUMP] as const;
export type WayName = (typeof WAYS)[number];

/** The version the figures are known for. It is not among waymark's own packages, which would more than double with it. */
const MOCKTTP_PACKAGE = "mockttp@4.6.0";

export interface Stand {
  /** A folder of this stand alone. */
  readonly folder: string;
  readonly origin: Service;
  readonly ways: readonly Way[];
  /** Events that waymark's log holds are counted in there. */
  readonly capture: string;
  stop(): Promise<void>;
}

export interface StandOrder {
  readonly folder: string;
  readonly names: readonly WayName[];
  readonly protocol: "http1" | "http2";
  /** Further addresses of loopback on which the origin listens. */
  readonly hosts: number;
}

/** Starts an origin and the proxies asked for, fresh ones, so that memory is of this load alone. */
export async function openStand({ folder, names, protocol, hosts }: StandOrder): Promise<Stand> {
  mkdirSync(folder, { recursive: true });
  const services: Service[] = [];
  const start = async (program: Program): Promise<Service> => {
    const service = await startService(program);
    services.push(service);
    return service;
  };
  const stop = async (): Promise<void> => void (await Promise.all(services.map((service) => service.stop())));
  const originCa = join(folder, "origin", "waymark-ca.pem");
  try {
    const args = [benchScript("peers/origin.js"), join(folder, "origin"), protocol, String(hosts)];
    const origin = await start({ command: process.execPath, args });
    const ways: Way[] = [];
    for (const name of names) ways.push(await STARTERS[name]({ folder, originCa, start }));
    return { folder, origin, ways, capture: join(folder, "capture"), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Place {
  readonly folder: string;
  readonly originCa: string;
  readonly start: (program: Program) => Promise<Service>;
}

const node = process.execPath;

const STARTERS: Readonly<Record<WayName, (place: Place) => Promise<Way>>> = {
  [DIRECT]: async ({ originCa }) => ({ name: DIRECT, caFile: originCa }),
  [TUNNEL]: async ({ originCa, start }) => ({
    name: TUNNEL,
    service: await start({ command: node, args: [benchScript("peers/tunnel.js")] }),
    caFile: originCa,
  }),
  [OURS]: async ({ folder, originCa, start }) => {
    const caFolder = join(folder, "ca");
    const hosts = ["--host", "localhost", "--host", "127.0.*", "--upstream-ca", originCa];
    const args = [WAYMARK, "proxy", "--port", "0", "--out", join(folder, "capture"), ...hosts];
    const service = await start({ command: node, args, env: { WAYMARK_CA_DIR: caFolder } });
    return { name: OURS, service, caFile: join(caFolder, "waymark-ca.pem") };
  },
  [MITM]: async ({ folder, originCa, start }) => {
    const own = made(join(folder, "mitm"));
    const args = [benchScript("peers/http-mitm-proxy.js"), own, join(own, "capture.ndjson")];
    const service = await start({ command: node, args, env: { NODE_EXTRA_CA_CERTS: originCa } });
    return { name: MITM, service, caFile: join(own, "certs", "ca.pem") };
  },
  [MOCKTTP]: async ({ folder, originCa, start }) => {
    const own = made(join(folder, "mockttp"));
    const args = [benchScript("peers/mockttp.js"), mockttpFolder(), own, join(own, "capture.ndjson"), originCa];
    return { name: MOCKTTP, service: await start({ command: node, args }), caFile: join(own, "ca.pem") };
  },
  [MITMDUMP]: async ({ folder, originCa, start }) => {
    const own = made(join(folder, "mitmdump"));
    const sets = [`confdir=${own}`, `ssl_verify_upstream_trusted_ca=${originCa}`, "stream_large_bodies=1m"];
    const args = ["--listen-host", "127.0.0.1", "--listen-port", String(await unusedPort()), "-q"];
    const script = ["-s", fileFromRoot("bench/peers/mitmdump-capture.py")];
    const service = await start({
      command: "mitmdump",
      args: [...args, ...sets.flatMap((set) => ["--set", set]), ...script],
      env: { BENCH_CAPTURE: join(own, "capture.ndjson"), PYTHONUNBUFFERED: "1" },
    });
    return { name: MITMDUMP, service, caFile: join(own, "mitmproxy-ca-cert.pem") };
  },
};

function made(folder: string): string {
  mkdirSync(folder, { recursive: true });
  return folder;
}

function mockttpFolder(): string {
  return join(benchFolder(), "mockttp");
}

/** Why a way cannot be measured on this machine; undefined when it can. Installs mockttp beside the logs of the bench when it is not there yet. */
export function missing(name: WayName): string | undefined {
  if (name === MITMDUMP) {
    const asked = spawnSync("mitmdump", ["--version"]);
    return asked.status === 0 ? undefined : "no mitmdump here (Debian has it in the package mitmproxy)";
  }
  if (name !== MOCKTTP || existsSync(join(mockttpFolder(), "node_modules", "mockttp"))) return undefined;
  const options = ["--no-audit", "--no-fund", "--ignore-scripts", "--no-save", "--prefix", made(mockttpFolder())];
  const npm = spawnSync("npm", ["install", ...options, MOCKTTP_PACKAGE], { shell: process.platform === "win32" });
  return npm.status === 0 ? undefined : `npm could not install ${MOCKTTP_PACKAGE}`;
}

async function unusedPort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(address !== null && typeof address === "object" ? address.port : 0));
    });
  });
}
