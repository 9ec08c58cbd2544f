/** How long the spans of a rollup are. */
export type RollupStep = 'minute' | 'hour' | 'day';

/** In milliseconds. Days are those of UTC. */
export const STEP_MS: Readonly<Record<RollupStep, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** Retention of spans in days: minutes for live views, days for charts of this year and the one before. */
export const KEPT_DAYS: Readonly<Record<RollupStep, number>> = { minute: 2, hour: 60, day: 750 };

/** Parts of the gateway's requests that are compared with each other: models, and runtimes. */
export type ComparedKind = 'm:' | 'r:';

/** Parts of the gateway's requests that have charts of their own: keys too. */
export type ScopeKind = ComparedKind | 'k:';

/** The subject of a span: all requests, or those of one part. A product has kinds of parts of its own. */
export type Scope<Kind extends string = ScopeKind> = '' | `${Kind}${string}`;

/** The start of the span that a time lies in. */
export function startOf(step: RollupStep, unixMs: number): number {
  return Math.floor(unixMs / STEP_MS[step]) * STEP_MS[step];
}
