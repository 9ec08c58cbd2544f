import type { ErrorDetails } from '../base/index.js';
import type { HeaderFields, HttpResponse } from '../http/index.js';
import { toRateState, type RateState } from '../metering/index.js';

/** The rest of a key's limits in OpenAI's header fields. */
export function toRateFields({ requests, tokens }: RateState): HeaderFields {
  const fields: (readonly [string, string])[] = [];
  for (const [name, side] of [
    ['requests', requests],
    ['tokens', tokens],
  ] as const) {
    if (side === undefined) continue;
    fields.push([`x-ratelimit-limit-${name}`, String(side.limit)]);
    fields.push([`x-ratelimit-remaining-${name}`, String(Math.max(0, Math.floor(side.remaining)))]);
    fields.push([`x-ratelimit-reset-${name}`, toDuration(side.resetMs)]);
  }
  return fields;
}

/** The same of an error that has it in its details; none where it has not. */
export function rateFieldsOf(details: ErrorDetails): HeaderFields {
  return toRateFields(toRateState(details));
}

/** The fields of an answer in any of their forms. */
export function fieldsOf(fields: HttpResponse['headers']): HeaderFields {
  return Array.isArray(fields) ? (fields as HeaderFields) : Object.entries(fields ?? {});
}

/** Fields that decide which pages may read an answer: the relay sends its own. */
const OURS = /^access-control-/;

/** Whether a field of an upstream's answer is not for its clients. */
export function isUpstreamField(name: string): boolean {
  return OURS.test(name) || name === 'x-request-id' || name === 'set-cookie';
}

/** As OpenAI writes it: `1s`, `6m0s`, `250ms`. */
function toDuration(ms: number): string {
  const whole = Math.max(0, Math.ceil(ms));
  if (whole < 1_000) return `${whole}ms`;
  const seconds = Math.ceil(whole / 1_000);
  if (seconds < 60) return `${seconds}s`;
  return `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
