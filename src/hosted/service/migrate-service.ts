import { makeDirectory, throwFileError } from '../../base/index.js';
import { billingMigrations } from '../../billing/index.js';
import type { HostedConfig } from '../config/index.js';
import { gatewayMigrations } from '../gateways/gateway-migrations.js';
import { openServiceDatabase, type ServiceOptions } from './open-service.js';

/**
 * Migrates the tables of a database to the newest version; returns the number of steps. Errors: as
 * `openServiceDatabase`.
 */
export async function migrateService(
  config: HostedConfig,
  options: Pick<ServiceOptions, 'clock' | 'log' | 'readSecret'>,
): Promise<number> {
  await makeDirectory(config.dataDir, 0o700).catch(throwFileError('write', config.dataDir));
  await using database = await openServiceDatabase(config, options);
  const billing = await database.migrate('billing', billingMigrations);
  const gateways = await database.migrate('gateways', gatewayMigrations);
  return billing + gateways;
}
