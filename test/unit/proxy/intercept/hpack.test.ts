import assert from "node:assert/strict";
import test from "node:test";
import { HpackDecoder } from "../../../../proxy/intercept/hpack.ts";
import { decodeHuffman } from "../../../../proxy/intercept/huffman.ts";

function hex(text: string): Buffer {
  return Buffer.from(text.replace(/\s/g, ""), "hex");
}

/** Decodes blocks one after the other with one table, as they stand on a connection. */
function decodeAll(blocks: readonly string[]): string[][] {
  const decoder = new HpackDecoder();
  return blocks.map((block) => {
    const headers = decoder.decode(hex(block));
    assert.ok(headers.ok, block);
    return headers.value.map(([name, value]) => `${name}: ${value}`);
  });
}

const REQUESTS = [
  [":method: GET", ":scheme: http", ":path: /", ":authority: www.example.com"],
  [":method: GET", ":scheme: http", ":path: /", ":authority: www.example.com", "cache-control: no-cache"],
  [":method: GET", ":scheme: https", ":path: /index.html", ":authority: www.example.com", "custom-key: custom-value"],
];
const DATE_21 = "date: Mon, 21 Oct 2013 20:13:21 GMT";
const DATE_22 = "date: Mon, 21 Oct 2013 20:13:22 GMT";
const LOCATION = "location: https://www.example.com";
const ANSWERS = [
  [":status: 302", "cache-control: private", DATE_21, LOCATION],
  [":status: 307", "cache-control: private", DATE_21, LOCATION],
  [
    ":status: 200",
    "cache-control: private",
    DATE_22,
    LOCATION,
    "content-encoding: gzip",
    "set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1",
  ],
];

test("RFC 7541 C.2: literals with, without and never indexed, and an indexed one", () => {
  assert.deepEqual(
    decodeAll([
      "400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572",
      "040c 2f73 616d 706c 652f 7061 7468",
      "1008 7061 7373 776f 7264 0673 6563 7265 74",
      "82",
    ]),
    [["custom-key: custom-header"], [":path: /sample/path"], ["password: secret"], [":method: GET"]],
  );
});

test("RFC 7541 C.3 and C.4: requests on one connection, plain and Huffman-coded", () => {
  const plain = [
    "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
    "8286 84be 5808 6e6f 2d63 6163 6865",
    "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65",
  ];
  const coded = [
    "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff",
    "8286 84be 5886 a8eb 1064 9cbf",
    "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf",
  ];
  assert.deepEqual(decodeAll(plain), REQUESTS);
  assert.deepEqual(decodeAll(coded), REQUESTS);
});

test("RFC 7541 C.5 and C.6: answers with a table of 256 bytes, whose entries are evicted", () => {
  const plain = [
    "3fe1 01 4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3120 474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
    "4803 3330 37c1 c0bf",
    "88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a 6970 7738 666f 6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d 6178 2d61 6765 3d33 3630 303b 2076 6572 7369 6f6e 3d31",
  ];
  const coded = [
    "3fe1 01 4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3",
    "4883 640e ffc1 c0bf",
    "88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07",
  ];
  assert.deepEqual(decodeAll(plain), ANSWERS);
  assert.deepEqual(decodeAll(coded), ANSWERS);
});

test("a block that cannot be read says why, and never throws", () => {
  const bad: readonly (readonly [string, RegExp])[] = [
    ["80", /no header has the index 0/],
    ["be", /no header has the index 62/],
    ["40", /ends within a header/],
    ["400a 6375", /ends within a string/],
    ["ffff ffff ffff ffff", /integer without end/],
    ["3fff ffff ff7f", /header table of/],
    ["4081 0081 00", /ends within a symbol/],
    ["4084 ffff ffff 00", /end symbol/],
  ];
  for (const [block, why] of bad) {
    const read = new HpackDecoder().decode(hex(block));
    assert.equal(read.ok, false, block);
    assert.match(read.ok ? "" : read.why, why, block);
  }
});

test("a small block cannot become a large list of headers", () => {
  const decoder = new HpackDecoder();
  const value = Buffer.alloc(3000, "a");
  const length = Buffer.from([0x7f, 0xb9, 0x16]); // 3000 over a prefix of 7 bits
  assert.ok(decoder.decode(Buffer.concat([Buffer.from([0x40, 1, 0x78]), length, value])).ok);
  assert.match(JSON.stringify(decoder.decode(Buffer.alloc(500, 0xbe))), /more than 1048576 bytes of headers/);
});

test("a Huffman string may be padded with up to seven ones, and with nothing else", () => {
  assert.equal(decodeHuffman(hex("1f")), "a");
  assert.equal(decodeHuffman(hex("")), "");
  for (const bad of ["18", "1fff", "ff"]) assert.throws(() => decodeHuffman(hex(bad)), RangeError, bad);
});
