// How long lists are read.

/** A page of a list, and the cursor of the next one; undefined: the last page. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | undefined;
}

/** Where a page begins and how long it is. A cursor that was changed is refused: `invalid_value`. */
export interface PageQuery {
  readonly cursor?: string;
  /** 1 to 1,000; 100 where absent. */
  readonly limit?: number;
}

/** From a moment on, and before another one, in milliseconds since 1970. */
export interface TimeRange {
  readonly fromMs?: number;
  readonly toMs?: number;
}
