import type { HeaderFields, HttpResponse } from '../../http/index.js';
import type { KeyRecord } from '../../metering/index.js';
import { fieldsOf, isUpstreamField as isOfAnUpstream, toRateFields } from '../../relay-serving/index.js';
import { GATEWAY_ID_HEADER } from '../evidence.js';
import type { GatewayContext } from './gateway-route.js';

/** Whether a field of a runtime's answer is hidden from clients: the gateway itself sends its id and its limits. */
export function isHiddenField(name: string): boolean {
  return name === GATEWAY_ID_HEADER || name.startsWith('x-ratelimit-') || isOfAnUpstream(name);
}

/** The fields of a runtime's answer, and the gateway's own. */
export function toGatewayFields(
  fields: HttpResponse['headers'],
  { gatewayId, meter }: Pick<GatewayContext, 'gatewayId' | 'meter'>,
  key: KeyRecord,
): HeaderFields {
  return [...fieldsOf(fields), [GATEWAY_ID_HEADER, gatewayId], ...toRateFields(meter.limitState(key.id))];
}
