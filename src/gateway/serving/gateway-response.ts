import type { ErrorFormat } from '../../endpoint/index.js';
import { jsonResponse } from '../../endpoint/index.js';
import type { HttpResponse } from '../../http/index.js';
import { rateFieldsOf } from '../../relay-serving/index.js';
import { GATEWAY_ID_HEADER } from '../evidence.js';
import type { GatewayContext } from './gateway-route.js';

/** A whole JSON answer of the gateway itself. By its id another gateway sees that it would ask itself. */
export function gatewayResponse({ gatewayId }: Pick<GatewayContext, 'gatewayId'>, value: unknown): HttpResponse {
  const { headers, ...response } = jsonResponse(value);
  return { ...response, headers: { ...(headers as Record<string, string>), [GATEWAY_ID_HEADER]: gatewayId } };
}

/** Errors with the id of the gateway and the allowed methods of a path, and without file paths. */
export function withGatewayId(errors: ErrorFormat, gatewayId: string): ErrorFormat {
  return {
    schema: errors.schema,
    toErrorResponse: (error, request) => {
      const response = errors.toErrorResponse(error, request);
      const { allow } = error.details;
      const methods = typeof allow === 'string' ? { allow } : {};
      const rates = Object.fromEntries(rateFieldsOf(error.details));
      return { ...response, headers: { ...response.headers, ...methods, ...rates, [GATEWAY_ID_HEADER]: gatewayId } };
    },
  };
}
