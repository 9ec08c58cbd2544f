/** How long the spans of a rollup are. */
export type RollupStep = 'minute' | 'hour' | 'day';

/** In milliseconds. Days are those of UTC. */
export const STEP_MS: Readonly<Record<RollupStep, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** Retention of spans in days: minutes for live views, days for charts of this year and the one before. */
export const KEPT_DAYS: Readonly<Record<RollupStep, number>> = { minute: 2, hour: 60, day: 750 };

/** What a span counts: everything, or one model or runtime. */
export type Scope = '' | `m:${string}` | `r:${string}`;

/** Parts that are compared with each other. */
export type ScopeKind = 'm:' | 'r:';

/** The start of the span that a time lies in. */
export function startOf(step: RollupStep, unixMs: number): number {
  return Math.floor(unixMs / STEP_MS[step]) * STEP_MS[step];
}
