import { mayServe } from '../address/index.js';
import { testWebhooks, type AlertSource, type WebhookConfig, type WebhookTest } from '../alerts/index.js';
import { systemClock, unixMs } from '../base/index.js';
import { print, toPrintable, type Terminal } from '../cli/index.js';
import { readSecret } from './read-secret.js';

/** Exit status where a webhook did not take it: that of errors of upstreams. */
const NOT_DELIVERED = 4;

/** What was typed. */
export interface TestAlertsFlags {
  readonly config: string;
  /** The webhook that is tested; undefined: all of them. */
  readonly webhook: string | undefined;
  readonly json: boolean;
}

/** What a file says of webhooks, and who sends. */
export interface Sender {
  readonly webhooks: readonly WebhookConfig[];
  readonly source: AlertSource;
}

/**
 * Sends a test event to the webhooks that `read` finds in a file, and says what came of it. Gives the exit status. Errors:
 * those of `read` and of `testWebhooks`.
 */
export async function sendTestAlerts(
  { config, webhook: only, json }: TestAlertsFlags,
  { env, stdout, closed }: Terminal,
  read: (path: string) => Promise<Sender>,
): Promise<number> {
  const tests = await testWebhooks({
    ...(await read(config)),
    only,
    readSecret: (source, what) => readSecret(source, { env, what, code: 'webhook_secret_missing' }),
    network: { mayConnect: mayServe, clock: systemClock },
    now: unixMs,
  });
  const text = json ? JSON.stringify({ webhooks: tests }) : tests.map(describeTest).join('\n');
  await print(stdout, toPrintable(stdout, `${text}\n`), closed);
  return tests.every(({ delivered }) => delivered) ? 0 : NOT_DELIVERED;
}

function describeTest({ webhook, delivered, status, reason }: WebhookTest): string {
  if (delivered) return `${webhook}: delivered (status ${status})`;
  return `${webhook}: not delivered: ${describeReason(status, reason)}`;
}

function describeReason(status: number | null, reason: string | null): string {
  switch (reason) {
    case 'redirect':
      return `it answered with a redirect (status ${status}), which is not followed; write the address that it leads to`;
    case 'status':
      return `it answered with status ${status}`;
    case 'timeout':
      return 'it did not answer within 10 s';
    case 'address_refused':
      return 'its name leads to an address that is never contacted';
    default:
      return `it cannot be reached (${reason})`;
  }
}
