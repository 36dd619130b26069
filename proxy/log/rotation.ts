/** When a new file is begun. Ages in milliseconds; absent means never. */
export interface RotationLimits {
  readonly maxFileBytes: number;
  readonly maxFileAgeMs?: number;
}

/** What is kept of a series, over all its captures; absent means everything. */
export interface RetentionLimits {
  readonly keepFiles?: number;
  readonly keepBytes?: number;
}

export interface LiveFile {
  readonly bytes: number;
  readonly openedAt: number;
}

export interface StoredFile {
  readonly index: number;
  readonly bytes: number;
}

/**
 * True when the next line (of `lineBytes`, 0 when only the age matters) has to begin a new file. An empty file takes any
 * line, so a record larger than the cap stays whole in a file of its own.
 */
export function isRotationDue(live: LiveFile, lineBytes: number, now: number, limits: RotationLimits): boolean {
  if (live.bytes === 0) return false;
  const { maxFileBytes, maxFileAgeMs } = limits;
  return live.bytes + lineBytes > maxFileBytes || (maxFileAgeMs !== undefined && now - live.openedAt >= maxFileAgeMs);
}

/**
 * The files that retention gives up, oldest first. Counts every file of the series, whichever run wrote it; the live one
 * (the highest index) is never given up, however small the limits are.
 */
export function surplusFiles(files: readonly StoredFile[], limits: RetentionLimits): StoredFile[] {
  const newestFirst = [...files].sort((a, b) => b.index - a.index);
  const { keepFiles = Number.POSITIVE_INFINITY, keepBytes = Number.POSITIVE_INFINITY } = limits;
  let bytes = 0;
  const firstGivenUp = newestFirst.findIndex((file, place) => {
    bytes += file.bytes;
    return place > 0 && (place >= keepFiles || bytes > keepBytes);
  });
  return firstGivenUp < 0 ? [] : newestFirst.slice(firstGivenUp).reverse();
}
