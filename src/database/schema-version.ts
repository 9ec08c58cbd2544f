import { AppError } from '../base/index.js';
import { integerOf } from './cells.js';
import type { Row } from './stores/store.js';

/** How many steps of each module's schema a database has. */
export const VERSION_TABLE =
  'CREATE TABLE IF NOT EXISTS schema_version (scope TEXT PRIMARY KEY, version INTEGER NOT NULL)';

/** The version in a row, 0 where there is none. Errors: `database_invalid` where it is above `known`. */
export function checkVersion(place: string, scope: string, row: Row | undefined, known: number): number {
  const version = row === undefined ? 0 : integerOf(row, 'version');
  if (version <= known) return version;
  const message = `${place} has version ${version} of the tables of ${scope}, and this program knows ${known}; it was written by a newer one: use that, or a backup from before`;
  throw new AppError('database_invalid', message, { place, scope, version, known });
}
