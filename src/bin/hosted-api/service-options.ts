import { systemClock, unixMs } from '../../base/index.js';
import type { Terminal } from '../../cli/index.js';
import type { ServiceOptions } from '../../hosted/index.js';
import { readSecret } from '../read-secret.js';

/** What a command opens a service with. What is logged goes to standard error. */
export function toServiceOptions({ env, stderr }: Terminal): ServiceOptions {
  return {
    readSecret: (source, what) => readSecret(source, { env, what, code: 'hosted_secret_missing' }),
    clock: systemClock,
    now: unixMs,
    log: (entry) => void stderr.write(`${JSON.stringify(entry)}\n`),
  };
}
