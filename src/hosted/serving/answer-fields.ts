import type { PaidHold } from '../../billing/index.js';
import type { HeaderFields, HttpResponse } from '../../http/index.js';
import { fieldsOf, isUpstreamField as isOfAnUpstream, toRateFields } from '../../relay-serving/index.js';
import { SERVICE_ID_HEADER } from '../sync/fetch-models.js';

/** The header with the id by which a client asks for the cost of a request later. */
export const GENERATION_ID_HEADER = 'x-generation-id';

/** Header fields of the service in a relayed answer. */
export interface OwnFields {
  /** Whether to drop an upstream's field, its name in lower case, because the service has its own of that name. */
  isDropped(name: string): boolean;
  /** The fields of an upstream's answer, and the service's own. */
  add(fields: HttpResponse['headers']): HeaderFields;
}

/**
 * The fields of one answer: its ids, and the state of the key's limits. Limits of an upstream under other names stay.
 */
export function createOwnFields(serviceId: string, requestId: string, hold: Pick<PaidHold, 'rates'>): OwnFields {
  const own: HeaderFields = [
    [SERVICE_ID_HEADER, serviceId],
    [GENERATION_ID_HEADER, requestId],
    ...toRateFields(hold.rates()),
  ];
  return {
    isDropped: (name) => isOfAnUpstream(name) || own.some(([ours]) => ours === name),
    add: (fields) => [...fieldsOf(fields), ...own],
  };
}
