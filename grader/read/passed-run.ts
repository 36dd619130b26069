/** Lines in a row that nobody has to see: blank ones, and events that change nothing but counts, times and places. */
export interface PassedRun {
  readonly lines: number;
  readonly events: number;
  /** The line of the last event, counted from 1 within the run; only with events. */
  readonly lastEvent: number;
  /** Events whose line was taken for readable. */
  readonly unchecked: number;
  /** The number the next record has to have; 0 where that was not known before either. */
  readonly nextSeq: number;
  /** The times of those events that have one, in milliseconds; undefined when none has. */
  readonly times:
    | {
        readonly first: number;
        readonly last: number;
        readonly largest: number;
        /** Events earlier than the one before them, both within the run. */
        readonly stepsBack: number;
      }
    | undefined;
}
