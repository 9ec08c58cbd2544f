import { baseCodes, type CodeTable } from '../../base/index.js';
import { auditEndOf, meteringCodes, type AuditEnd, type ActionOutcome } from '../../metering/index.js';
import { relayServingCodes } from '../../relay-serving/index.js';
import { gatewayCodes } from '../errors.js';

const TABLES: readonly CodeTable[] = [baseCodes, meteringCodes, relayServingCodes, gatewayCodes];

/** How an action of a gateway ended. */
export function toAuditEnd<T>(
  ended: ActionOutcome<T>,
  endOf: (value: T) => AuditEnd = () => ({ outcome: 'ok' }),
): AuditEnd {
  return 'value' in ended ? endOf(ended.value) : auditEndOf(ended.error, TABLES);
}
