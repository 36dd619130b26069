#!/usr/bin/env node
import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parseArgs } from "node:util";
import { DEFAULT_SUCCESS, runAgent, type SelfReport } from "./agent.ts";
import { startApp } from "./app.ts";
import { CHATS } from "./chats.ts";
import { DEFAULT_SEED, TELEMETRY_HOST } from "./command.ts";
import { FAULT_VARIABLE, type FaultKind, faultyTelemetry, readFault } from "./faults.ts";
import { seededRandom } from "./random.ts";
import { startTelemetry } from "./telemetry.ts";
import { type Gateway, proxyGateway } from "./tunnel.ts";

const USAGE = "node main.js [--seed N] [--run I] [--success P] [--self-report FILE] [--collector HOST:PORT]";

interface Settings {
  readonly seed: number;
  readonly run: number;
  /** How often the agent does what it is asked, 0 to 1. */
  readonly success: number;
  readonly selfReport: string | undefined;
  readonly gateway: Gateway;
  readonly fault: FaultKind | undefined;
}

/** Options win over the environment that `waymark run` gives its children, and that over the defaults. */
function readSettings(args: string[], env: NodeJS.ProcessEnv): Settings {
  const text = { type: "string" } as const;
  const options = { seed: text, run: text, success: text, "self-report": text, collector: text };
  const { values } = parseArgs({ args, options });
  return {
    seed: wholeNumber("--seed", values.seed ?? String(DEFAULT_SEED)),
    run: wholeNumber("--run", values.run ?? env["WAYMARK_RUN_INDEX"] ?? "1"),
    success: probability("--success", values.success ?? String(DEFAULT_SUCCESS)),
    selfReport: values["self-report"] ?? env["WAYMARK_SELF_REPORT"],
    gateway: chooseGateway(values.collector, env),
    fault: readFault(env[FAULT_VARIABLE]),
  };
}

function wholeNumber(option: string, text: string): number {
  if (/^[0-9]{1,10}$/.test(text) && Number(text) < 2 ** 32) return Number(text);
  throw new Error(`${option} takes a whole number from 0 to ${2 ** 32 - 1}, got "${text}"`);
}

function probability(option: string, text: string): number {
  const value = /^[0-9]*\.?[0-9]+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= 0 && value <= 1) return value;
  throw new Error(`${option} takes a number from 0 to 1, got "${text}"`);
}

function chooseGateway(collector: string | undefined, env: NodeJS.ProcessEnv): Gateway {
  const proxy = env["HTTPS_PROXY"] ?? env["https_proxy"] ?? "";
  if (collector === undefined) {
    return proxy === "" ? { host: TELEMETRY_HOST, port: 443, kind: "direct" } : proxyGateway(proxy);
  }
  const [, host, port] = /^(.+):([0-9]+)$/.exec(collector) ?? [];
  if (host === undefined || port === undefined) throw new Error(`--collector takes HOST:PORT, got "${collector}"`);
  return { host, port: Number(port), kind: "direct" };
}

/** One run: the app starts, the agent uses it, the app ends and delivers its telemetry. */
async function runOnce({ seed, run, success, gateway, fault }: Settings): Promise<SelfReport> {
  const telemetry = startTelemetry({
    host: TELEMETRY_HOST,
    gateway,
    instrumentationKey: "c0ffee00c0ffee00c0ffee00c0ffee00",
    sessionId: randomUUID(),
    userId: `agent-${seed}`,
  });
  const fate = seededRandom([seed, run, 1]);
  const app = await startApp(faultyTelemetry(telemetry, fault, { random: fate, opens: CHATS.length }));
  const planted = fault === undefined ? undefined : { kind: fault, random: fate };
  const report = await runAgent(app.url, seededRandom([seed, run]), success, planted);
  const { delivered, lost, lastError } = await app.close();
  if (lost > 0) process.stderr.write(`chat: ${lost} of ${delivered + lost} events not delivered: ${lastError}\n`);
  return report;
}

function writeSelfReport(file: string, report: SelfReport): void {
  const path = resolve(file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(report)}\n`);
}

async function main(): Promise<void> {
  let settings: Settings;
  try {
    settings = readSettings(process.argv.slice(2), process.env);
  } catch (error) {
    process.stderr.write(`chat: ${error instanceof Error ? error.message : String(error)}\nusage: ${USAGE}\n`);
    process.exitCode = 2;
    return;
  }
  const report = await runOnce(settings);
  if (settings.selfReport !== undefined) writeSelfReport(settings.selfReport, report);
  process.stdout.write(`done: ${report.summary}\n`);
}

await main();
