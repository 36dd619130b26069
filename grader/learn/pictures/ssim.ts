import type { Grey } from "./grey.ts";

const RADIUS = 5;
const SIGMA = 1.5;
const C1 = (0.01 * 255) ** 2;
const C2 = (0.03 * 255) ** 2;
const WEIGHTS = gaussian();

/** The structural similarity at each place where the window fits, and how many such places a row and a column have. */
export interface SimilarityMap {
  readonly width: number;
  readonly height: number;
  readonly values: Float64Array;
}

/**
 * Structural similarity of two pictures of one size (Z. Wang, A. C. Bovik, H. R. Sheikh, E. P. Simoncelli, "Image quality
 * assessment: from error visibility to structural similarity", IEEE TIP 13(4), 2004): Gaussian window of 11 x 11 with
 * sigma 1.5, K1 0.01, K2 0.03, L 255. 1 is equal. Throws a RangeError when the sizes differ or the window does not fit.
 */
export function structuralSimilarity(a: Grey, b: Grey): SimilarityMap {
  if (a.width !== b.width || a.height !== b.height || Math.min(a.width, a.height) < WEIGHTS.length) {
    throw new RangeError("pictures of one size are compared, of 11 x 11 pixels at least");
  }
  const { width, height } = a;
  const blur = (valueAt: (index: number) => number): Float64Array => blurred(valueAt, width, height);
  const x = (index: number): number => a.pixels[index] ?? 0;
  const y = (index: number): number => b.pixels[index] ?? 0;
  const [meanX, meanY] = [blur(x), blur(y)];
  const [squareX, squareY] = [blur((at) => x(at) ** 2), blur((at) => y(at) ** 2)];
  const product = blur((at) => x(at) * y(at));
  const values = product.map((both, at) => {
    const [mx, my] = [meanX[at] ?? 0, meanY[at] ?? 0];
    const [vx, vy] = [(squareX[at] ?? 0) - mx * mx, (squareY[at] ?? 0) - my * my];
    const common = both - mx * my;
    return ((2 * mx * my + C1) * (2 * common + C2)) / ((mx * mx + my * my + C1) * (vx + vy + C2));
  });
  return { width: width - 2 * RADIUS, height: height - 2 * RADIUS, values };
}

/** The mean structural similarity, which is what is usually called SSIM. */
export function meanSimilarity({ values }: SimilarityMap): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function gaussian(): readonly number[] {
  const raw = Array.from({ length: 2 * RADIUS + 1 }, (_, at) => Math.exp(-((at - RADIUS) ** 2) / (2 * SIGMA ** 2)));
  const sum = raw.reduce((total, value) => total + value, 0);
  return raw.map((value) => value / sum);
}

/** Weighted means where the whole window fits; rows first, then columns, which comes to the same and takes less. */
function blurred(valueAt: (index: number) => number, width: number, height: number): Float64Array {
  const across = width - 2 * RADIUS;
  const rows = new Float64Array(across * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < across; x++) {
      let sum = 0;
      for (const [at, weight] of WEIGHTS.entries()) sum += weight * valueAt(y * width + x + at);
      rows[y * across + x] = sum;
    }
  }
  const down = height - 2 * RADIUS;
  const means = new Float64Array(across * down);
  for (let at = 0; at < means.length; at++) {
    let sum = 0;
    for (const [step, weight] of WEIGHTS.entries()) sum += weight * (rows[at + step * across] ?? 0);
    means[at] = sum;
  }
  return means;
}
