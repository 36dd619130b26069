import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { seededRandom } from "../../examples/chat/random.ts";
import { EVENT, FIELD, type KernelExports, RECORD } from "../../grader/read/line-kernel.ts";
import { hostileCase } from "../support/hostile-logs.ts";

const SEED = Number(process.env["PIECES_SEED"] ?? 20_260_401);
const LOGS = process.env["WAYMARK_BIG"] === "1" ? 5_000 : 150;

/** Lines that end, or are cut, where reading in pieces has to wait. */
const MORE = [
  `{"name":"open","n":[${"1234567890".repeat(300)},-0.5e-7,true,false,null,"\\u00e9\\n\\\\"]}`,
  `{"name":"open","n":${"9".repeat(4001)}}`,
  `{"name":"open","n":[1.,2]}`,
  `{"name":"open","n":${"9".repeat(9000)}x}`,
  `{"a":${"[".repeat(199)}${"]".repeat(199)},"name":"open"}`,
  `{"a":${"[".repeat(200)}${"]".repeat(200)},"name":"open"}`,
  '{"a":[}],"name":"open"}',
  '{"a":{],"name":"open"}',
  '{"a":"x\\n"} \t\r',
  '{"a":"x\\u00"}',
  '{"a" "b"}',
  '{"a":1,}',
  "{}",
  "{}}",
  '{"$capture":{"seq":7,"at":"x","host":"h","path":"/p"},"time":"t","name":"n"}',
  '{"$capture":{"seq":7,"control":"tick"}}',
];

const [MEMORY_KEYS, STACK, RECORD_AT, OTHER_AT, LINE] = [1 << 16, 1 << 17, 1 << 18, (1 << 18) + 4096, 1 << 19];

test("an event that comes in pieces is found to be what it is when it comes whole", (t) => {
  t.diagnostic(`seed ${SEED}`);
  const memory = new WebAssembly.Memory({ initial: 64, maximum: 65_536 });
  const module = new WebAssembly.Module(readFileSync(new URL("../../grader/read/kernel.wasm", import.meta.url)));
  const kernel = new WebAssembly.Instance(module, { env: { memory } }).exports as unknown as KernelExports;
  const bytes = Buffer.from(memory.buffer);
  bytes.write("nametime", MEMORY_KEYS);
  kernel.configure(MEMORY_KEYS, 4, MEMORY_KEYS + 4, 4);
  const record = (at: number): number[] => [...new Uint32Array(memory.buffer, at, RECORD)];
  const random = seededRandom([SEED]);
  const logs = Array.from({ length: LOGS }, (_, at) => hostileCase(SEED + at).log);
  const lines = [...logs.flatMap(split), ...MORE.map((line) => Buffer.from(line))];
  let events = 0;
  for (const line of lines) {
    const end = LINE + line.copy(bytes, LINE);
    bytes[end] = 10;
    kernel.scan(LINE, end + 1, OTHER_AT, 1);
    const whole = record(OTHER_AT);
    kernel.beginPieces(LINE, STACK, RECORD_AT);
    const most = random.pick([1, 2, 7, 40, 3000]);
    bytes.fill(120, LINE, end + 1); // what has not come yet is not there
    for (let at = 0; at < line.length; ) {
      at += line.copy(bytes, LINE + at, at, Math.min(line.length, at + 1 + random.below(most)));
      bytes[LINE + at] = 10;
      kernel.readPieces(LINE + at);
    }
    const isEvent = kernel.endPieces(end) !== 0;
    assert.equal(isEvent, whole[FIELD.kind] === EVENT, line.toString());
    if (isEvent) assert.deepEqual(record(RECORD_AT), whole, line.toString());
    if (isEvent) events += 1;
  }
  assert.ok(events > 10 * LOGS && events < lines.length, `${events} of ${lines.length}`);
});

function split(log: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0, end = log.indexOf(10); end !== -1; start = end + 1, end = log.indexOf(10, start)) {
    lines.push(log.subarray(start, end));
  }
  return lines;
}
