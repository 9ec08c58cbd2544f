import { present } from '../../base/index.js';
import type { Caller } from '../../billing/index.js';
import type { HeadCall } from '../../endpoint/index.js';
import { readKey } from '../../relay-serving/index.js';
import type { HostedContext, HostedRecord } from './hosted-route.js';

/** What keys of accounts begin with. */
const KEY_KIND = 'hak';

/** Finds out whose request it is, before a byte of its body. Errors: those of `readKey` and of keys of accounts. */
export async function authenticate({ request, context, record }: HeadCall<HostedContext, HostedRecord>): Promise<void> {
  const trace = record.trace ?? context.tracer()?.begin(request.headers);
  if (trace !== undefined) record.trace = trace;
  record.caller = await context.billing.keys.authenticate(readKey(request.headers, KEY_KIND));
}

/** Who sends a request that was authenticated. */
export function callerOf({ caller }: HostedRecord): Caller {
  return present(caller, 'it was authenticated');
}
