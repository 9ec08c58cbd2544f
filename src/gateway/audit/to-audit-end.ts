import { baseCodes, isAppError, type CodeTable } from '../../base/index.js';
import { meteringCodes, type AuditEnd, type Ended } from '../../metering/index.js';
import { relayServingCodes } from '../../relay-serving/index.js';
import { gatewayCodes } from '../errors.js';

const TABLES: readonly CodeTable[] = [baseCodes, meteringCodes, relayServingCodes, gatewayCodes];

/** How an action ended: `refused` where the gateway decided not to do it, `failed` where it tried and could not. */
export function toAuditEnd<T>(ended: Ended<T>, endOf: (value: T) => AuditEnd = () => ({ outcome: 'ok' })): AuditEnd {
  if ('value' in ended) return endOf(ended.value);
  const { error } = ended;
  if (!isAppError(error)) return { outcome: 'failed', reason: 'internal_error' };
  return { outcome: isRefusal(error.code) ? 'refused' : 'failed', reason: error.code };
}

function isRefusal(code: string): boolean {
  const found = TABLES.flatMap((table) => table[code] ?? [])[0];
  return found !== undefined && (found.who === 'caller' || found.kind === 'aborted');
}
