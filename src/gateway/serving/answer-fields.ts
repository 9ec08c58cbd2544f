import type { HeaderFields, HttpResponse } from '../../http/index.js';
import type { KeyRecord } from '../../metering/index.js';
import { GATEWAY_ID_HEADER } from '../evidence.js';
import type { GatewayContext } from './gateway-route.js';

/** Fields that say who may read an answer, whose limits hold, and whose gateway this is: ours to say. */
const OURS = /^(?:access-control-|x-ratelimit-)/;

/** Whether a field of a runtime's answer is not for its clients. */
export function isOfTheUpstream(name: string): boolean {
  return OURS.test(name) || name === GATEWAY_ID_HEADER || name === 'x-request-id' || name === 'set-cookie';
}

/** The fields of a runtime's answer and those of the gateway. */
export function toGatewayFields(
  fields: HttpResponse['headers'],
  { gatewayId, meter }: Pick<GatewayContext, 'gatewayId' | 'meter'>,
  key: KeyRecord,
): HeaderFields {
  const own: (readonly [string, string])[] = [[GATEWAY_ID_HEADER, gatewayId]];
  const { requests, tokens } = meter.limitState(key.id);
  for (const [name, side] of [
    ['requests', requests],
    ['tokens', tokens],
  ] as const) {
    if (side === undefined) continue;
    own.push([`x-ratelimit-limit-${name}`, String(side.limit)]);
    own.push([`x-ratelimit-remaining-${name}`, String(Math.max(0, Math.floor(side.remaining)))]);
    own.push([`x-ratelimit-reset-${name}`, toDuration(side.resetMs)]);
  }
  const theirs = Array.isArray(fields) ? (fields as HeaderFields) : Object.entries(fields ?? {});
  return [...theirs, ...own];
}

/** As OpenAI writes it: `1s`, `6m0s`, `250ms`. */
export function toDuration(ms: number): string {
  const whole = Math.max(0, Math.ceil(ms));
  if (whole < 1_000) return `${whole}ms`;
  const seconds = Math.ceil(whole / 1_000);
  if (seconds < 60) return `${seconds}s`;
  return `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
