import { present } from '../../base/index.js';
import type { Caller } from '../../billing/index.js';
import type { HeadCall } from '../../endpoint/index.js';
import { readKey } from '../../relay-serving/index.js';
import type { HostedContext, HostedRecord } from './hosted-route.js';

/** The prefix of keys of accounts. */
const KEY_KIND = 'hak';

/** Authenticates a request before a byte of its body is read. Errors: those of `readKey` and of keys of accounts. */
export async function authenticate({ request, context, record }: HeadCall<HostedContext, HostedRecord>): Promise<void> {
  const trace = record.trace ?? context.tracer()?.begin(request.headers);
  if (trace !== undefined) record.trace = trace;
  record.caller = await context.billing.keys.authenticate(readKey(request.headers, KEY_KIND));
}

/** The caller of an authenticated request. */
export function callerOf({ caller }: HostedRecord): Caller {
  return present(caller, 'it was authenticated');
}
