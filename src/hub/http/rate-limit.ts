import type { HeaderFields } from '../../http/index.js';
import { fieldOf } from '../../relay/index.js';

/**
 * The wait that a server asks for, in ms: `RateLimit: "api";r=0;t=55` of the hub (IETF draft ratelimit-headers), or
 * Retry-After in seconds; undefined if absent. A date in Retry-After is ignored: clocks differ.
 */
export function readWaitMs(fields: HeaderFields): number | undefined {
  const seconds = [
    /(?:^|;)\s*t=(\d{1,6})/.exec(fieldOf(fields, 'ratelimit') ?? '')?.[1],
    /^\s*(\d{1,6})\s*$/.exec(fieldOf(fields, 'retry-after') ?? '')?.[1],
  ].flatMap((text) => (text === undefined ? [] : [Number(text)]));
  return seconds.length === 0 ? undefined : Math.max(...seconds) * 1_000;
}

/** Whether a successful answer forbids further requests within the time of `readWaitMs`. */
export function isUsedUp(fields: HeaderFields): boolean {
  return /(?:^|;)\s*r=0(?:;|$|\s)/.test(fieldOf(fields, 'ratelimit') ?? '');
}
