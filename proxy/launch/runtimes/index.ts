import { cargo } from "./cargo.ts";
import { clouds } from "./clouds.ts";
import { curl } from "./curl.ts";
import { deno } from "./deno.ts";
import { git } from "./git.ts";
import { grpc } from "./grpc.ts";
import { java } from "./java.ts";
import { node } from "./node.ts";
import { npm } from "./npm.ts";
import { openssl } from "./openssl.ts";
import { perl } from "./perl.ts";
import { proxies } from "./proxies.ts";
import { python } from "./python.ts";
import type { Runtime } from "./runtime.ts";

/** Every runtime waymark prepares; a new one is a file and a line here. */
export const RUNTIMES: readonly Runtime[] = [
  proxies,
  openssl,
  node,
  python,
  java,
  curl,
  git,
  cargo,
  deno,
  perl,
  grpc,
  clouds,
  npm,
];
