import { Columns } from "./columns.ts";
import { type ItemNumbers, Items } from "./items.ts";
import type { LeafBook } from "./leaf-book.ts";
import { Signatures } from "./signature.ts";

/** The events of one name. */
export interface Kind {
  readonly leaves: Columns;
  readonly outcomes: Columns;
  readonly items: Items;
  readonly signatures: Signatures;
  /** Items by the spelling of their events, while paths vary as they do now. */
  readonly known: Map<string, number>;
  /** Events in a row whose spelling was new. */
  misses: number;
}

/** No event of a name came yet; so many are expected. */
export function openKind(
  name: string,
  { book, numbers, events }: { readonly book: LeafBook; readonly numbers: ItemNumbers; readonly events: number },
): Kind {
  const [leaves, outcomes] = [new Columns(book), new Columns(book)];
  for (const columns of [leaves, outcomes]) columns.expect(events);
  const items = new Items(name, book, numbers);
  return { leaves, outcomes, items, signatures: new Signatures(leaves, outcomes), known: new Map(), misses: 0 };
}

/** Counts events of the name; when more paths vary without end from then on, its items are fewer. */
export function countEvents(kind: Kind, events: number): void {
  const { leaves, outcomes, items, known } = kind;
  const [fewerLeaves, fewerOutcomes] = [leaves.count(events), outcomes.count(events)];
  if (!fewerLeaves && !fewerOutcomes) return;
  known.clear();
  kind.misses = 0;
  items.settle();
}
