import type { OwnListener } from '../address/index.js';
import type { Clock, LogEntry } from '../base/index.js';
import { recordChange, type Billing } from '../billing/index.js';
import type { Database } from '../database/index.js';
import { parseAllowedRanges, type ContactRules } from './gateways/contact-rules.js';
import { createGatewayDirectory, type FollowedDirectory } from './gateways/create-gateway-directory.js';
import { gatewayMigrations } from './gateways/gateway-migrations.js';
import { GatewayStore } from './gateways/gateway-store.js';
import type { ServiceKeys } from './service-keys.js';
import { GatewaySync } from './sync/gateway-sync.js';

/** What connected gateways need. */
export interface ConnectedOptions {
  readonly database: Database;
  readonly billing: Billing;
  readonly keys: Pick<ServiceKeys, 'seal' | 'serviceId'>;
  /** `gateways.allow_private` of hosted.yaml. */
  readonly allowPrivate: readonly string[];
  /** `public_urls` of hosted.yaml. */
  readonly publicUrls: readonly string[];
  /** Where this process listens now. */
  readonly own: () => readonly OwnListener[];
  readonly syncIntervalMs: number;
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly log: (entry: LogEntry) => void;
  /** From 0 to below 1; default `Math.random`. */
  readonly random?: () => number;
}

/** Connected gateways of one node: kept, followed, and ready to be asked. */
export interface Connected extends AsyncDisposable {
  readonly rules: ContactRules;
  readonly store: GatewayStore;
  readonly directory: FollowedDirectory;
  /** It asks nobody until its `run` is called. */
  readonly sync: GatewaySync;
}

/** Brings the tables to the newest version and reads the gateways. Errors: `database_unavailable`, `database_invalid`, `invalid_value`. */
export async function openConnected(options: ConnectedOptions): Promise<Connected> {
  const { database, billing, keys, clock, now, log, random = Math.random } = options;
  await database.migrate('hosted-gateways', gatewayMigrations);
  const rules: ContactRules = {
    allowed: parseAllowedRanges(options.allowPrivate),
    own: options.own,
    ownHosts: new Set(options.publicUrls.map((url) => new URL(url).host.toLowerCase())),
  };
  const store = new GatewayStore({
    database,
    seal: keys.seal,
    now,
    audit: (queries, event, by) => recordChange(queries, { ...event, actor: by, atMs: now() }),
  });
  const directory = await createGatewayDirectory({ database, store, rules, clock, log });
  const sync = new GatewaySync({
    store,
    leases: billing.leases,
    rules,
    intervalMs: options.syncIntervalMs,
    serviceId: keys.serviceId,
    clock,
    now,
    random,
    log,
  });
  return {
    rules,
    store,
    directory,
    sync,
    async [Symbol.asyncDispose]() {
      await sync[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}
