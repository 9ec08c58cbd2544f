// The parts that a node and a command share: the database, billing on it, connected gateways.
import { join } from 'node:path';
import { makeDirectory, throwFileError, type Clock, type LogEntry } from '../../base/index.js';
import { openBilling, recordChange, type Billing } from '../../billing/index.js';
import { openPostgres, openSqlite, type Database } from '../../database/index.js';
import { createHostLookups, type LookUpAll, type OwnListener } from '../../address/index.js';
import type { HostedConfig } from '../config/index.js';
import { createSeal } from '../gateways/credential-seal.js';
import { parseAllowedRanges, type ContactRules } from '../gateways/contact-rules.js';
import { gatewayMigrations } from '../gateways/gateway-migrations.js';
import { GatewayStore } from '../gateways/gateway-store.js';
import { readServiceSecret, type ReadSecret } from './read-service-secret.js';
import { toServiceKeys } from './service-keys.js';

/** Options of a service. */
export interface ServiceOptions {
  readonly readSecret: ReadSecret;
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly log: (entry: LogEntry) => void;
  /** Where this process listens. */
  readonly own?: () => readonly OwnListener[];
  /** Resolves names of providers and gateways; absent: a resolver in which no look-up waits for another. */
  readonly lookUpAll?: LookUpAll;
}

/** A service without its listener. */
export interface Service extends AsyncDisposable {
  readonly database: Database;
  readonly billing: Billing;
  readonly gateways: GatewayStore;
  readonly rules: ContactRules;
  readonly lookUpAll: LookUpAll;
  readonly serviceId: string;
}

const DATABASE_FILE = 'hosted.db';

/**
 * Opens the service of a hosted.yaml, and migrates its tables to the newest version. Errors: those of secrets, files,
 * the database.
 */
export async function openService(config: HostedConfig, options: ServiceOptions): Promise<Service> {
  const { clock, now, log, readSecret, own = () => [] } = options;
  const { hmacKey, sealKey, serviceId } = toServiceKeys(await readServiceSecret(config.secret, readSecret));
  await makeDirectory(config.dataDir, 0o700).catch(throwFileError('write', config.dataDir));
  const database = await openServiceDatabase(config, options);
  const lookups = createHostLookups({ clock });
  const { lookUpAll = lookups.lookUpAll } = options;
  try {
    await database.migrate('gateways', gatewayMigrations);
    const { requestMs } = config.limits;
    const directory = join(config.dataDir, 'billing');
    const valkeyUrl = config.valkey && (await readSecret(config.valkey, 'the URL of the Valkey'));
    const { usageDays } = config;
    const limits = { maxStreamMs: requestMs, usageDays, ...(valkeyUrl !== undefined && { valkeyUrl }) };
    const billing = await openBilling({ database, directory, hmacKey, log, clock, now, ...limits });
    const gateways = new GatewayStore({
      database,
      seal: createSeal(sealKey),
      now,
      audit: (queries, event, by) => recordChange(queries, { ...event, actor: by, atMs: Math.floor(now()) }),
    });
    const rules: ContactRules = {
      allowed: parseAllowedRanges(config.gateways.allowPrivate),
      own,
      ownHosts: new Set(config.publicUrls.map((url) => new URL(url).host.toLowerCase())),
    };
    const close = async (): Promise<void> => {
      lookups[Symbol.dispose]();
      await billing[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    };
    return { database, billing, gateways, rules, lookUpAll, serviceId, [Symbol.asyncDispose]: close };
  } catch (error) {
    await database[Symbol.asyncDispose]();
    throw error;
  }
}

/** The database of a hosted.yaml, without migration. Errors: those of secrets, files, the database. */
export async function openServiceDatabase(
  { database, dataDir }: HostedConfig,
  options: Pick<ServiceOptions, 'clock' | 'log' | 'readSecret'>,
): Promise<Database> {
  const { clock, log, readSecret } = options;
  if (database.kind === 'sqlite') return openSqlite({ path: join(dataDir, DATABASE_FILE), clock });
  const url = await readSecret(database.url, 'the URL of the database');
  return openPostgres({ url, poolSize: database.pool, clock, log });
}
