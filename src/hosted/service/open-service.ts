// What a node and a command work on: the database, billing on it, connected gateways.
import { join } from 'node:path';
import type { OwnListener } from '../../address/index.js';
import { makeDirectory, throwFileError, type Clock, type LogEntry } from '../../base/index.js';
import { openBilling, type Billing } from '../../billing/index.js';
import { openPostgres, openSqlite, type Database } from '../../database/index.js';
import type { SecretSource } from '../../yaml-file/index.js';
import type { HostedConfig } from '../config/index.js';
import { openConnected, type Connected } from '../open-connected.js';
import { toServiceKeys } from '../service-keys.js';

/** How a secret is read. `what` it is for errors. Errors: `hosted_secret_missing`, those of files. */
export type ReadSecret = (source: SecretSource, what: string) => Promise<string>;

/** What a service is opened with. */
export interface ServiceOptions {
  readonly readSecret: ReadSecret;
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly log: (entry: LogEntry) => void;
  /** Where this process listens. */
  readonly own?: () => readonly OwnListener[];
}

/** A service without its listener. */
export interface Service extends AsyncDisposable {
  readonly database: Database;
  readonly billing: Billing;
  readonly connected: Connected;
  readonly serviceId: string;
}

const DATABASE_FILE = 'hosted.db';

/** Opens what a hosted.yaml says, and brings its tables to the newest version. Errors: those of secrets, files, the database. */
export async function openService(config: HostedConfig, options: ServiceOptions): Promise<Service> {
  const { clock, now, log, readSecret, own = () => [] } = options;
  const keys = toServiceKeys(await readSecret(config.secret, 'the secret of the service'));
  await makeDirectory(config.dataDir, 0o700).catch(throwFileError('write', config.dataDir));
  const opened: AsyncDisposable[] = [];
  const keep = <T extends AsyncDisposable>(one: T): T => {
    opened.unshift(one);
    return one;
  };
  const close = async (): Promise<void> => {
    for (const one of opened) await one[Symbol.asyncDispose]();
  };
  try {
    const database = keep(await openDatabase(config, options));
    const directory = join(config.dataDir, 'billing');
    const { requestMs } = config.limits;
    const { hmacKey, serviceId } = keys;
    const billing = keep(await openBilling({ database, directory, hmacKey, log, clock, now, maxStreamMs: requestMs }));
    const { allowPrivate, syncIntervalMs } = config.gateways;
    const { publicUrls } = config;
    const connected = keep(
      await openConnected({ database, billing, keys, allowPrivate, publicUrls, own, syncIntervalMs, clock, now, log }),
    );
    return { database, billing, connected, serviceId, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openDatabase({ database, dataDir }: HostedConfig, options: ServiceOptions): Promise<Database> {
  const { clock, log, readSecret } = options;
  if (database.kind === 'sqlite') return openSqlite({ path: join(dataDir, DATABASE_FILE), clock });
  const url = await readSecret(database.url, 'the URL of the database');
  return openPostgres({ url, poolSize: database.pool, clock, log });
}
