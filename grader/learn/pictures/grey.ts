/** A picture in shades of grey, 0 black to 255 white, row by row. */
export interface Grey {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

/** A part of a picture, in shares of its sides. */
export interface Frame {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

/** Cuts a frame off a picture; at least one pixel stays. */
export function cutFrame({ width, height, pixels }: Grey, frame: Frame): Grey {
  const left = Math.min(width - 1, Math.round(width * frame.left));
  const top = Math.min(height - 1, Math.round(height * frame.top));
  const inner = {
    width: Math.max(1, width - left - Math.round(width * frame.right)),
    height: Math.max(1, height - top - Math.round(height * frame.bottom)),
  };
  const cut = new Uint8Array(inner.width * inner.height);
  for (let y = 0; y < inner.height; y++) {
    const from = (top + y) * width + left;
    cut.set(pixels.subarray(from, from + inner.width), y * inner.width);
  }
  return { ...inner, pixels: cut };
}

/** Scales a picture to a size; each new pixel is the average of the area it covers, parts of pixels included. */
export function scaleTo(picture: Grey, width: number, height: number): Grey {
  const rows = averages(picture.height, height);
  const columns = averages(picture.width, width);
  const pixels = new Uint8Array(width * height);
  for (const [y, row] of rows.entries()) {
    for (const [x, column] of columns.entries()) pixels[y * width + x] = Math.round(averageOf(picture, row, column));
  }
  return { width, height, pixels };
}

/** From which old places, and with which weights that add up to 1, a new place is made. */
interface Average {
  readonly from: number;
  readonly weights: readonly number[];
}

function averages(before: number, after: number): readonly Average[] {
  const step = before / after;
  return Array.from({ length: after }, (_, index) => {
    const [start, end] = [index * step, (index + 1) * step];
    const from = Math.min(before - 1, Math.floor(start));
    const weights: number[] = [];
    for (let at = from; at < before && (at < end || weights.length === 0); at++) {
      weights.push((Math.min(end, at + 1) - Math.max(start, at)) / step);
    }
    return { from, weights };
  });
}

function averageOf({ width, pixels }: Grey, row: Average, column: Average): number {
  let sum = 0;
  for (const [dy, heavy] of row.weights.entries()) {
    const base = (row.from + dy) * width + column.from;
    for (const [dx, weight] of column.weights.entries()) sum += heavy * weight * (pixels[base + dx] ?? 0);
  }
  return sum;
}
