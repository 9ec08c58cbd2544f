import type { RefusedRequest } from '../../billing/index.js';
import { toLogLine } from '../../endpoint/index.js';
import { toRelayFields } from '../../relay-serving/index.js';
import type { HostedRecord, HostedRoute } from './hosted-route.js';

/** One JSON line of a request that is over: ids, names of the configuration, counts. */
export function toHostedLogLine(record: HostedRecord, status: number, endMs: number, time: string): string {
  const { caller, target } = record;
  return toLogLine(record, status, endMs, time, {
    ...(caller !== undefined && { account_id: caller.account.id, key_id: caller.key.id }),
    ...(target !== undefined && { provider: target.provider, path: target.shownPath }),
    ...toRelayFields(record),
  });
}

/**
 * A request for a model that ended before its reservation, as charts count it. Undefined: it was reserved, and billing counts it
 * when it is settled; or it was none for a model. `atMs`: when it came, milliseconds since 1970.
 */
export function toRefused(
  { method, admittedMs, error, caller, target, model }: HostedRecord,
  status: number,
  route: HostedRoute | undefined,
  atMs: number,
): RefusedRequest | undefined {
  // The route of all paths answers lists of models too, by GET.
  if (route?.operation === undefined || method !== 'POST' || admittedMs !== undefined) return undefined;
  return {
    atMs: Math.floor(atMs),
    status,
    ...(error !== undefined && { errorCode: error.code }),
    ...(caller !== undefined && { accountId: caller.account.id }),
    ...(target !== undefined && { provider: target.provider }),
    ...(target !== undefined && model !== undefined && { model }),
  };
}
