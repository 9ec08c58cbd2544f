// Requests over time, the same for every server of these pages. Tests compare these types with the servers' schemas.

/** Sums of a time range. Milliseconds are those of answered requests; null without such a request. */
export interface TrafficTotals {
  readonly requests: number;
  readonly answered: number;
  readonly refused: number;
  readonly failed: number;
  /** Refused and failed together. */
  readonly errors: number;
  readonly aborted: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly cached_tokens: number;
  readonly reasoning_tokens: number;
  readonly first_byte_p50_ms: number | null;
  readonly first_byte_p95_ms: number | null;
  readonly duration_p50_ms: number | null;
  readonly duration_p95_ms: number | null;
}

/** The sums of one step of a chart. */
export interface TrafficPoint extends TrafficTotals {
  readonly start: string;
}

/** An amount of money as a decimal text. */
export interface Money {
  readonly currency: string;
  readonly amount: string;
}

/** A chart. `complete`: false while the server still sums older requests. */
export interface TrafficSeries {
  readonly step: 'minute' | 'hour' | 'day';
  readonly from: string;
  readonly to: string;
  readonly points: readonly TrafficPoint[];
  readonly spend: readonly (Money & { readonly start: string })[];
  readonly total: TrafficTotals;
  readonly complete: boolean;
}

/** Sums of one model, runtime, code or status. */
export interface TrafficPart {
  readonly name: string;
  readonly requests: number;
  readonly errors: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
}
