import { present } from '../../base/index.js';
import type { HeadCall } from '../../endpoint/index.js';
import { readKey as readKeyOf } from '../../relay-serving/index.js';
import { hasLimits } from './check-key.js';
import type { GatewayContext, GatewayRecord } from './gateway-route.js';

/** The key of a request as the gateway makes them. Errors: `missing_api_key`, `invalid_api_key`. */
export function readGatewayKey(headers: ReadonlyMap<string, string>): string {
  return readKeyOf(headers, 'gwk');
}

/** Authenticates a request before a byte of its body is read. Errors: those of `readGatewayKey` and of the meter. */
export function authenticate({ request, context, record }: HeadCall<GatewayContext, GatewayRecord>): void {
  const trace = record.trace ?? context.tracer()?.begin(request.headers);
  if (trace !== undefined) record.trace = trace;
  record.key = context.meter.authenticate(readGatewayKey(request.headers));
}

/** The same for a request that costs something: its key must have budget left. Errors: also those of `checkKey`. */
export function authenticatePaid(call: HeadCall<GatewayContext, GatewayRecord>): void | Promise<void> {
  authenticate(call);
  const { record, context } = call;
  const { id, limits } = present(record.key, 'it was authenticated');
  return hasLimits(limits) ? context.host.check(id, limits.parallelRequests) : undefined;
}
