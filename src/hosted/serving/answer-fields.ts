import type { HeaderFields, HttpResponse } from '../../http/index.js';
import { fieldsOf, isOfTheUpstream as isOfAnUpstream } from '../../relay-serving/index.js';
import { SERVICE_ID_HEADER } from '../sync/fetch-models.js';

/** By which a client asks for the cost of a request later. */
export const GENERATION_ID_HEADER = 'x-generation-id';

/** Whether a field of an upstream's answer is not for its clients: what this service says by the same name. */
export function isOfTheUpstream(name: string): boolean {
  return name === SERVICE_ID_HEADER || name === GENERATION_ID_HEADER || isOfAnUpstream(name);
}

/** The fields of an upstream's answer and those of the service. */
export function toHostedFields(fields: HttpResponse['headers'], serviceId: string, requestId: string): HeaderFields {
  return [...fieldsOf(fields), [SERVICE_ID_HEADER, serviceId], [GENERATION_ID_HEADER, requestId]];
}
