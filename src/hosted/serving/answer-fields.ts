import type { PaidHold } from '../../billing/index.js';
import type { HeaderFields, HttpResponse } from '../../http/index.js';
import { fieldsOf, isOfTheUpstream as isOfAnUpstream, toRateFields } from '../../relay-serving/index.js';
import { SERVICE_ID_HEADER } from '../sync/fetch-models.js';

/** By which a client asks for the cost of a request later. */
export const GENERATION_ID_HEADER = 'x-generation-id';

/** What the service itself says beside the fields of a relayed answer. */
export interface OwnFields {
  /** Whether a field of an upstream, its name in lower case, is not for its clients: what the service says by the same name. */
  isDropped(name: string): boolean;
  /** The fields of an upstream's answer and those of the service. */
  add(fields: HttpResponse['headers']): HeaderFields;
}

/** Those of one answer: its ids, and where the limits of the key stand. An upstream's limits by other names stay. */
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
