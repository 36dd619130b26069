/**
 * The first line of an unpacked events chunk, as JSON; the lines of all files follow, in order. `lines` says how many of
 * them each file has; with `numbers` they are not all lines of the file but those of these numbers (from 1).
 */
export interface EventsHeader {
  readonly files: readonly { readonly lines: number; readonly numbers?: readonly number[] }[];
}
