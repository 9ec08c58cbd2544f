import { toLogLine } from '../../endpoint/index.js';
import { toRelayFields } from '../../relay-serving/index.js';
import type { HostedRecord } from './hosted-route.js';

/** One JSON line of a request that is over: ids, names of the configuration, counts. */
export function toHostedLogLine(record: HostedRecord, status: number, endMs: number, time: string): string {
  const { caller, target } = record;
  return toLogLine(record, status, endMs, time, {
    ...(caller !== undefined && { account_id: caller.account.id, key_id: caller.key.id }),
    ...(target !== undefined && { provider: target.provider, path: target.shownPath }),
    ...toRelayFields(record),
  });
}
