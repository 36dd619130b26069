import assert from "node:assert/strict";
import test from "node:test";
import { seededRandom } from "../../../examples/chat/random.ts";
import { comparePictures, preparePicture } from "../../../grader/learn/pictures/compare.ts";
import { differenceHash, hammingDistance } from "../../../grader/learn/pictures/dhash.ts";
import { cutFrame, type Grey, scaleTo } from "../../../grader/learn/pictures/grey.ts";
import { findLooks } from "../../../grader/learn/pictures/looks.ts";
import { meanSimilarity, structuralSimilarity } from "../../../grader/learn/pictures/ssim.ts";
import { type Canvas, moment, type Screen, screenshot } from "../../support/pictures.ts";

function grey(width: number, height: number, at: (x: number, y: number) => number): Grey {
  return {
    width,
    height,
    pixels: Uint8Array.from({ length: width * height }, (_, i) => at(i % width, Math.floor(i / width))),
  };
}

function noise(seed: number, width = 24, height = 17): Grey {
  const random = seededRandom([seed]);
  return grey(width, height, () => random.below(256));
}

test("a hash has a bit for each pixel brighter than its right neighbour, the first one highest", () => {
  assert.equal(differenceHash(grey(9, 8, (x) => 200 - 20 * x)), 0xffffffffffffffffn);
  assert.equal(differenceHash(grey(9, 8, (x) => 20 * x)), 0n);
  assert.equal(differenceHash(grey(9, 8, (x, y) => (y === 0 && x === 0 ? 9 : 5))), 1n << 63n);
  assert.equal(differenceHash(grey(9, 8, (x, y) => (y === 7 && x === 8 ? 1 : 5))), 1n);
  // The same picture in ten times the size has the same hash.
  const small = noise(3, 9, 8);
  assert.equal(
    differenceHash(grey(90, 80, (x, y) => small.pixels[Math.floor(y / 10) * 9 + Math.floor(x / 10)] ?? 0)),
    differenceHash(small),
  );
  assert.equal(hammingDistance(0b1011n, 0b0110n), 3);
});

test("scaling averages areas, parts of pixels too", () => {
  assert.deepEqual(
    [
      ...scaleTo(
        grey(4, 2, (x) => 10 * x),
        2,
        1,
      ).pixels,
    ],
    [5, 25],
  );
  assert.deepEqual(
    [
      ...scaleTo(
        grey(3, 1, (x) => 30 * x),
        2,
        1,
      ).pixels,
    ],
    [10, 50],
  ); // (0 + 30 / 2) / 1.5, (30 / 2 + 60) / 1.5
  assert.deepEqual(
    cutFrame(
      grey(10, 10, (x, y) => 10 * y + x),
      { top: 0.5, bottom: 0.4, left: 0.1, right: 0.8 },
    ),
    {
      width: 1,
      height: 1,
      pixels: Uint8Array.of(51),
    },
  );
});

/** The paper's formulas as they stand, one window after the other. */
function similarityByDefinition(a: Grey, b: Grey): number {
  const weights = Array.from({ length: 121 }, (_, i) =>
    Math.exp(-(((i % 11) - 5) ** 2 + (Math.floor(i / 11) - 5) ** 2) / 4.5),
  );
  const total = weights.reduce((sum, one) => sum + one, 0);
  const values: number[] = [];
  for (let y = 0; y + 11 <= a.height; y++) {
    for (let x = 0; x + 11 <= a.width; x++) {
      const mean = (f: (at: number) => number): number =>
        weights.reduce((sum, one, i) => sum + (one / total) * f((y + Math.floor(i / 11)) * a.width + x + (i % 11)), 0);
      const [mx, my] = [mean((at) => a.pixels[at] ?? 0), mean((at) => b.pixels[at] ?? 0)];
      const vx = mean((at) => ((a.pixels[at] ?? 0) - mx) ** 2);
      const vy = mean((at) => ((b.pixels[at] ?? 0) - my) ** 2);
      const both = mean((at) => ((a.pixels[at] ?? 0) - mx) * ((b.pixels[at] ?? 0) - my));
      values.push(
        ((2 * mx * my + 6.5025) * (2 * both + 58.5225)) / ((mx ** 2 + my ** 2 + 6.5025) * (vx + vy + 58.5225)),
      );
    }
  }
  return values.reduce((sum, one) => sum + one, 0) / values.length;
}

test("structural similarity is what the paper's formulas give, window by window", () => {
  for (let seed = 0; seed < 6; seed++) {
    const [a, b] = [noise(seed), noise(seed % 2 === 0 ? seed + 100 : seed)];
    const mixed = { ...b, pixels: b.pixels.map((one, at) => Math.round((one + (a.pixels[at] ?? 0)) / 2)) };
    const got = meanSimilarity(structuralSimilarity(a, mixed));
    assert.ok(Math.abs(got - similarityByDefinition(a, mixed)) < 1e-9, String(got));
  }
  assert.equal(meanSimilarity(structuralSimilarity(noise(1), noise(1))), 1);
  // Two flat pictures differ in luminance only: (2ab + C1) / (a² + b² + C1).
  const flat = meanSimilarity(
    structuralSimilarity(
      grey(20, 20, () => 100),
      grey(20, 20, () => 50),
    ),
  );
  assert.ok(Math.abs(flat - (2 * 100 * 50 + 6.5025) / (100 ** 2 + 50 ** 2 + 6.5025)) < 1e-9);
  assert.throws(() => structuralSimilarity(noise(1), noise(1, 24, 18)), RangeError);
  assert.throws(() => structuralSimilarity(noise(1, 10, 30), noise(1, 10, 30)), RangeError);
});

function shown(screen: Screen, number: number) {
  return prepared(screenshot(screen, moment(number)), `${screen} ${number}`);
}

function prepared({ width, height, bytes }: Canvas, name: string) {
  const luma = (at: number): number =>
    0.2126 * (bytes[at] ?? 0) + 0.7152 * (bytes[at + 1] ?? 0) + 0.0722 * (bytes[at + 2] ?? 0);
  return preparePicture(
    name,
    `${name}.png`,
    grey(width, height, (x, y) => Math.round(luma(3 * (y * width + x)))),
  );
}

const SCREENS = ["search dialog", "loading", "search results", "error"] as const;
const PICTURES = SCREENS.flatMap((screen) => [1, 2, 3].map((number) => ({ screen, picture: shown(screen, number) })));

test("one state at other times in other windows is the same; an error dialog on the same page is not", () => {
  for (const a of PICTURES) {
    for (const b of PICTURES) {
      const { answer, ...why } = comparePictures(a.picture, b.picture);
      assert.equal(
        answer,
        a.screen === b.screen ? "same" : "different",
        `${a.picture.file}, ${b.picture.file}: ${JSON.stringify(why)}`,
      );
    }
  }
});

test("pictures are sorted into looks whatever their order", () => {
  const pictures = PICTURES.map(({ picture }) => picture);
  const { of, open } = findLooks(pictures);
  assert.equal(new Set([...of.values()].map(({ id }) => id)).size, 4);
  assert.deepEqual(open, []);
  assert.deepEqual(findLooks([...pictures].reverse()).of, of);
});

/** A page with a notice of some width over it. */
function noticed(width: number, name: string) {
  const on = screenshot("search results", moment(1));
  for (let y = 300; y < 300 + width / 2; y++) on.bytes.fill(20, (y * 1280 + 500) * 3, (y * 1280 + 500 + width) * 3);
  return prepared(on, name);
}

test("what is neither clearly the same nor clearly different is open, and a ruling decides it", () => {
  const widths = [60, 90, 110, 130, 150, 170, 190, 210, 240, 400];
  const plain = shown("search results", 2);
  const answers = widths.map((width) => comparePictures(plain, noticed(width, `n${width}`)).answer);
  assert.deepEqual([answers[0], answers.at(-1)], ["same", "different"]);
  const order = ["same", "open", "different"];
  assert.deepEqual(
    answers,
    [...answers].sort((a, b) => order.indexOf(a) - order.indexOf(b)),
    "the larger the less alike",
  );
  const odd = noticed(widths[answers.indexOf("open")] ?? 0, "z");
  const { open, of } = findLooks([plain, odd]);
  assert.equal(open.length, 1);
  assert.equal(new Set([...of.values()].map(({ id }) => id)).size, 2);
  const [one] = open;
  assert.ok(one !== undefined);
  const ruling = { pair: [one.a.digest, one.b.digest] as const, same: true, by: "x", comparison: one.comparison };
  const ruled = findLooks([plain, odd], [ruling]);
  assert.equal(new Set([...ruled.of.values()].map(({ id }) => id)).size, 1);
  assert.deepEqual([ruled.open.length, ruled.merged.judge], [0, 1]);
});
