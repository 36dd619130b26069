// A program that launches the command given after its first argument (a folder for the output), says the pid, and waits.
import { join } from "node:path";
import { launch } from "../../proxy/launch/index.ts";

const [folder = "", ...command] = process.argv.slice(2);
const launched = launch({
  command,
  env: process.env,
  stdoutFile: join(folder, "stdout.log"),
  stderrFile: join(folder, "stderr.log"),
  graceMs: 500,
  onOutput: () => process.stdout.write(`ready ${launched.pid}\n`),
});
process.stdout.write(`${JSON.stringify(await launched.ended)}\n`);
