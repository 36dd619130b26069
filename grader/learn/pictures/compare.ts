import { differenceHash, hammingDistance } from "./dhash.ts";
import { cutFrame, type Grey, scaleTo } from "./grey.ts";
import { meanSimilarity, type SimilarityMap, structuralSimilarity } from "./ssim.ts";

/** A picture as it is kept for comparing: small, without colours and without the window's frame. */
export interface Picture {
  /** SHA-256 of the file. */
  readonly digest: string;
  /** Where it was found, for people and judges. */
  readonly file: string;
  readonly small: Grey;
  readonly hash: bigint;
  /** Width through height, of the whole picture. */
  readonly shape: number;
}

/** What two pictures are to each other, and how that was found. */
export interface Comparison {
  readonly answer: "same" | "different" | "open";
  readonly tier: "exact" | "shape" | "hash" | "similarity";
  readonly distance: number;
  /** Mean structural similarity; absent where an earlier tier decided. */
  readonly similarity?: number;
  /** Shares of the picture that are not alike: all of them, and the largest one in one piece. */
  readonly changed?: { readonly all: number; readonly largest: number };
}

const WIDTH = 128;
const LEAST_HEIGHT = 24;
const MOST_HEIGHT = 256;
/** A title bar and borders: decorations differ between systems and say nothing of the state. */
const DECORATIONS = { top: 0.06, bottom: 0.02, left: 0.02, right: 0.02 };

/** Makes a picture ready for comparing. */
export function preparePicture(digest: string, file: string, whole: Grey): Picture {
  const inner = cutFrame(whole, DECORATIONS);
  const height = Math.round((WIDTH * inner.height) / inner.width);
  const small = scaleTo(inner, WIDTH, Math.min(MOST_HEIGHT, Math.max(LEAST_HEIGHT, height)));
  return { digest, file, small, hash: differenceHash(inner), shape: whole.width / whole.height };
}

/** Pictures whose hashes differ in more bits than this of 64 are different, without a closer look. */
const FAR = 20;
/** Below this a place is not alike. */
const ALIKE = 0.5;
/** A clock or a counter changes less in one piece; a dialog more. What lies between stays open. */
const SMALL_CHANGE = { all: 0.08, largest: 0.03 };
const LARGE_CHANGE = 0.06;

/**
 * Compares two pictures by tiers, cheap ones first: the same bytes; another shape; hashes far apart; structural similarity,
 * where not the mean decides but the largest piece that is not alike, because an error dialog on an unchanged page leaves
 * the mean high. Certain answers only: what is neither clearly the same nor clearly different is `open`.
 */
export function comparePictures(a: Picture, b: Picture): Comparison {
  if (a.digest === b.digest) return { answer: "same", tier: "exact", distance: 0 };
  const distance = hammingDistance(a.hash, b.hash);
  if (Math.max(a.shape, b.shape) > 1.1 * Math.min(a.shape, b.shape)) {
    return { answer: "different", tier: "shape", distance };
  }
  if (distance > FAR) return { answer: "different", tier: "hash", distance };
  const height = Math.min(a.small.height, b.small.height);
  const map = structuralSimilarity(scaleTo(a.small, WIDTH, height), scaleTo(b.small, WIDTH, height));
  const changed = changesIn(map);
  const isSame = changed.all <= SMALL_CHANGE.all && changed.largest <= SMALL_CHANGE.largest;
  const answer = isSame ? "same" : changed.largest >= LARGE_CHANGE ? "different" : "open";
  return { answer, tier: "similarity", distance, similarity: meanSimilarity(map), changed };
}

function changesIn({ width, height, values }: SimilarityMap): { all: number; largest: number } {
  const isLeft = Uint8Array.from(values, (value) => (value < ALIKE ? 1 : 0));
  let [all, largest] = [0, 0];
  for (let seed = 0; seed < isLeft.length; seed++) {
    if (isLeft[seed] !== 1) continue;
    const size = takePiece(isLeft, seed, { width, height });
    all += size;
    largest = Math.max(largest, size);
  }
  return { all: all / values.length, largest: largest / values.length };
}

/** Takes the piece of marked neighbours that a place belongs to, and returns its size. */
function takePiece(isLeft: Uint8Array, seed: number, { width, height }: { width: number; height: number }): number {
  const piece = [seed];
  isLeft[seed] = 0;
  for (const at of piece) {
    const [x, y] = [at % width, Math.floor(at / width)];
    const near = [
      x > 0 ? at - 1 : -1,
      x < width - 1 ? at + 1 : -1,
      y > 0 ? at - width : -1,
      y < height - 1 ? at + width : -1,
    ];
    for (const next of near) {
      if (isLeft[next] !== 1) continue;
      isLeft[next] = 0;
      piece.push(next);
    }
  }
  return piece.length;
}
