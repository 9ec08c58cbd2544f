// Connected gateways on a database of their own, with the clock of the machine or one that the test moves.
import { parseAllowedRanges } from '../../../src/hosted/gateways/contact-rules.js';
import { lookUpInSystem, type LookUpAll } from '../../../src/address/index.js';
import { systemClock, unixMs, type Clock, type LogEntry } from '../../../src/base/index.js';
import { recordChange, type Billing } from '../../../src/billing/index.js';
import type { Database } from '../../../src/database/index.js';
import { createSeal } from '../../../src/hosted/gateways/credential-seal.js';
import { gatewayMigrations } from '../../../src/hosted/gateways/gateway-migrations.js';
import { GatewayStore, type NewGateway } from '../../../src/hosted/gateways/gateway-store.js';
import { openConnected, type Connected, type ConnectedOptions } from '../../../src/hosted/service/open-connected.js';
import type { Service } from '../../../src/hosted/service/open-service.js';
import { toServiceKeys } from '../../../src/hosted/service/service-keys.js';
import { openTestBilling } from '../../billing/open-test-billing.js';
import type { TestDatabases } from '../../support/test-databases.js';

/** The secret of every test. */
export const SECRET = 'a secret of tests with more than thirty-two bytes';

/** One node. */
export interface TestNode extends Connected {
  readonly store: GatewayStore;
  readonly service: Service;
}

/** Options of a node that a test may change. */
export interface TestNodeOptions extends Partial<ConnectedOptions> {
  readonly allowPrivate?: readonly string[];
  readonly secret?: string;
  readonly lookUpAll?: LookUpAll;
}

/** Connected gateways, and the parts that they run on. */
export interface TestConnected extends AsyncDisposable {
  readonly connected: TestNode;
  readonly billing: Billing;
  readonly database: Database;
  readonly entries: LogEntry[];
  readonly wall: { ms: number };
  /** Another node on the same database. */
  another(options?: TestNodeOptions): Promise<TestNode>;
  add(gateway: Partial<NewGateway> & { readonly slug: string; readonly baseUrl: string }): Promise<void>;
}

/** Opens them. Loopback addresses may be connected to. */
export async function openTestConnected(
  databases: TestDatabases,
  options: TestNodeOptions = {},
): Promise<TestConnected> {
  const clock: Clock = options.clock ?? systemClock;
  const test = await openTestBilling(databases, { clock });
  const { database, billing } = test;
  const entries: LogEntry[] = [];
  const wall = { ms: unixMs() };
  await database.migrate('gateways', gatewayMigrations);
  const open = async (more: TestNodeOptions = {}): Promise<TestNode> => {
    const all = { ...options, ...more };
    const { sealKey, serviceId } = toServiceKeys(Buffer.from(all.secret ?? SECRET));
    const now = all.now ?? ((): number => wall.ms);
    const store = new GatewayStore({
      database,
      seal: createSeal(sealKey),
      now,
      audit: (queries, event, by) => recordChange(queries, { ...event, actor: by, atMs: now() }),
    });
    const { lookUpAll = lookUpInSystem } = all;
    const allowed = parseAllowedRanges(all.allowPrivate ?? ['127.0.0.0/8']);
    const rules = { allowed, own: () => [], ownHosts: new Set(['api.example.com']) };
    const service = {
      database,
      billing,
      gateways: store,
      rules,
      lookUpAll,
      serviceId,
      [Symbol.asyncDispose]: async () => {},
    };
    const connected = await openConnected(service, {
      syncIntervalMs: 300_000,
      clock,
      random: () => 0.5,
      log: (entry) => void entries.push(entry),
      ...all,
      now,
    });
    return { ...connected, store, service };
  };
  const connected = await open();
  return {
    connected,
    billing,
    database,
    entries,
    wall,
    another: open,
    async add({ slug, baseUrl, ...more }) {
      const plain = { name: slug, credential: '', offer: 'all', metering: 'inject' } as const;
      await connected.store.add({ ...plain, ...more, slug, baseUrl }, 'test');
    },
    async [Symbol.asyncDispose]() {
      await connected[Symbol.asyncDispose]();
      await test[Symbol.asyncDispose]();
    },
  };
}
