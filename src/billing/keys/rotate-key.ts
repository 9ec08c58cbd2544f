import { invalidValue } from '../../base/index.js';
import { integerOf, textOf, type Queries } from '../../database/index.js';
import { MAX_GRACE_MS } from '../../metering/index.js';
import { KEYS_CHANNEL } from '../accounts/accounts.js';
import { recordChange } from '../audit.js';
import type { AccountKey } from '../billing.js';
import { OWN_KEY_COLUMNS, toKey } from './key-rows.js';
import { lockKey, namesOfKey } from './key-facts.js';
import { keyUnknown } from './key-unknown.js';

/** Another secret of a key. */
export interface Rotation {
  readonly id: string;
  /** The account that must own the key; undefined: any account. */
  readonly accountId: string | undefined;
  readonly prefix: string;
  /** Of the new secret. */
  readonly hash: string;
  readonly graceMs: number;
  readonly by: string;
  readonly atMs: number;
}

/** Older secrets of a key that are taken at once: each is one more that may be lost. */
const MAX_GRACES = 8;

/**
 * Gives a key a new secret; the one before stays valid for the grace. Without a grace every older one ends. Errors:
 * `account_key_unknown`, `invalid_value`.
 */
export async function rotateKey(queries: Queries, rotation: Rotation): Promise<AccountKey> {
  const { prefix, hash, graceMs, by, atMs } = rotation;
  if (!Number.isInteger(graceMs) || graceMs < 0 || graceMs > MAX_GRACE_MS)
    throw invalidValue('grace', graceMs, `a whole number of milliseconds from 0 to ${MAX_GRACE_MS}`);
  const before = await lockKey(queries, rotation.id, rotation.accountId);
  const { id } = before;
  const older = textOf((await queries.get('SELECT hash FROM account_key WHERE id = $1', id)) ?? {}, 'hash') ?? '';
  const live = 'SELECT COUNT(*) AS graces FROM account_key_grace WHERE key_id = $1 AND until_ms > $2';
  const graces = integerOf((await queries.get(live, id, atMs)) ?? {}, 'graces');
  if (graceMs === 0) await queries.run('DELETE FROM account_key_grace WHERE key_id = $1', id);
  else await addGrace(queries, id, older, atMs, graceMs);
  const update = `UPDATE account_key SET prefix = $2, hash = $3 WHERE id = $1 RETURNING ${OWN_KEY_COLUMNS}`;
  const row = await queries.get(update, id, prefix, hash);
  if (row === undefined) throw keyUnknown(id);
  const diff = {
    ...(await namesOfKey(queries, before)),
    before: { prefix: before.prefix },
    after: { prefix },
    grace_s: graceMs / 1_000,
    ended_secrets: graceMs === 0 ? graces + 1 : 0,
  };
  await recordChange(queries, { actor: by, action: 'key.rotate', target: `key:${id}`, diff, atMs });
  await queries.notify(KEYS_CHANNEL, graceMs === 0 ? `secret ${id} ${hash}` : `grace ${id} ${older} ${atMs + graceMs}`);
  return toKey(row);
}

async function addGrace(queries: Queries, id: string, hash: string, atMs: number, graceMs: number): Promise<void> {
  await queries.run('DELETE FROM account_key_grace WHERE key_id = $1 AND until_ms <= $2', id, atMs);
  const row = await queries.get('SELECT COUNT(*) AS graces FROM account_key_grace WHERE key_id = $1', id);
  const graces = row === undefined ? 0 : integerOf(row, 'graces');
  if (graces >= MAX_GRACES)
    throw invalidValue(
      'grace',
      `${graces} older secrets`,
      `0, since a key has at most ${MAX_GRACES} that are still taken`,
    );
  const insert = 'INSERT INTO account_key_grace (hash, key_id, until_ms) VALUES ($1, $2, $3)';
  await queries.run(insert, hash, id, atMs + graceMs);
}
