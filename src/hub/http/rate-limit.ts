import type { HeaderFields } from '../../http/index.js';
import { fieldOf } from '../../relay/index.js';

/**
 * How long a server asks to wait, in ms: `RateLimit: "api";r=0;t=55` of the hub (IETF draft ratelimit-headers), or
 * Retry-After in seconds; undefined where it does not say. A date in Retry-After is not taken: clocks differ.
 */
export function readWaitMs(fields: HeaderFields): number | undefined {
  const seconds = [
    /(?:^|;)\s*t=(\d{1,6})/.exec(fieldOf(fields, 'ratelimit') ?? '')?.[1],
    /^\s*(\d{1,6})\s*$/.exec(fieldOf(fields, 'retry-after') ?? '')?.[1],
  ].flatMap((text) => (text === undefined ? [] : [Number(text)]));
  return seconds.length === 0 ? undefined : Math.max(...seconds) * 1_000;
}

/** Whether a good answer says that no further request is allowed within the time of `readWaitMs`. */
export function isUsedUp(fields: HeaderFields): boolean {
  return /(?:^|;)\s*r=0(?:;|$|\s)/.test(fieldOf(fields, 'ratelimit') ?? '');
}
