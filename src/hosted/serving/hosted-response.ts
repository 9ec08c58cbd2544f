import type { ErrorFormat } from '../../endpoint/index.js';
import { jsonResponse } from '../../endpoint/index.js';
import type { HttpResponse } from '../../http/index.js';
import { rateFieldsOf } from '../../relay-serving/index.js';
import { SERVICE_ID_HEADER } from '../sync/fetch-models.js';

/** A whole JSON answer of the service itself. By its id a gateway that leads back here is found. */
export function hostedResponse(serviceId: string, value: unknown, headers: Record<string, string> = {}): HttpResponse {
  return jsonResponse(value, { ...headers, [SERVICE_ID_HEADER]: serviceId });
}

/** Errors with the id of the service, and without file paths. */
export function withServiceId(errors: ErrorFormat, serviceId: string): ErrorFormat {
  return {
    ...errors,
    toErrorResponse: (error, request) => {
      const response = errors.toErrorResponse(error, request);
      const { allow } = error.details;
      const methods = typeof allow === 'string' ? { allow } : {};
      const rates = Object.fromEntries(rateFieldsOf(error.details));
      return { ...response, headers: { ...response.headers, ...methods, ...rates, [SERVICE_ID_HEADER]: serviceId } };
    },
  };
}
