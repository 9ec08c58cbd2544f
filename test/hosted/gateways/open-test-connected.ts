// Connected gateways on a database of their own, with a clock of the machine or one that the test moves.
import { systemClock, unixMs, type Clock, type LogEntry } from '../../../src/base/index.js';
import type { Billing } from '../../../src/billing/index.js';
import type { Database } from '../../../src/database/index.js';
import type { NewGateway } from '../../../src/hosted/gateways/gateway-store.js';
import { openConnected, type Connected, type ConnectedOptions } from '../../../src/hosted/open-connected.js';
import { toServiceKeys } from '../../../src/hosted/service-keys.js';
import { openTestBilling } from '../../billing/open-test-billing.js';
import type { TestDatabases } from '../../support/test-databases.js';

/** The secret of every test. */
export const SECRET = 'a secret of tests with more than thirty-two bytes';

/** Connected gateways and what they run on. */
export interface TestConnected extends AsyncDisposable {
  readonly connected: Connected;
  readonly billing: Billing;
  readonly database: Database;
  readonly entries: LogEntry[];
  readonly wall: { ms: number };
  /** Another node on the same database. */
  another(options?: Partial<ConnectedOptions>): Promise<Connected>;
  add(gateway: Partial<NewGateway> & { readonly slug: string; readonly baseUrl: string }): Promise<void>;
}

/** Opens them. Loopback addresses may be connected to. */
export async function openTestConnected(
  databases: TestDatabases,
  options: Partial<ConnectedOptions> = {},
): Promise<TestConnected> {
  const clock: Clock = options.clock ?? systemClock;
  const billing = await openTestBilling(databases, { clock });
  const entries: LogEntry[] = [];
  const wall = { ms: unixMs() };
  const { database } = billing;
  const open = (more: Partial<ConnectedOptions> = {}): Promise<Connected> =>
    openConnected({
      database,
      billing: billing.billing,
      keys: toServiceKeys(SECRET),
      allowPrivate: ['127.0.0.0/8'],
      publicUrls: ['https://api.example.com'],
      own: () => [],
      syncIntervalMs: 300_000,
      clock,
      now: () => wall.ms,
      log: (entry) => void entries.push(entry),
      random: () => 0.5,
      ...options,
      ...more,
    });
  const connected = await open();
  return {
    connected,
    billing: billing.billing,
    database,
    entries,
    wall,
    another: open,
    async add({ slug, baseUrl, ...more }) {
      await connected.store.add({ name: slug, credential: '', offer: 'all', ...more, slug, baseUrl }, 'test');
    },
    async [Symbol.asyncDispose]() {
      await connected[Symbol.asyncDispose]();
      await billing[Symbol.asyncDispose]();
    },
  };
}
