import type { Queries } from '../database/index.js';
import { AUDIT } from './schema/tables.js';

/** A change that somebody made: no secret, no prompt. */
export interface Change {
  /** Who, such as `cli:root` or `operator@127.0.0.1`. */
  readonly actor: string;
  /** Such as `key.create`. */
  readonly action: string;
  /** Such as `account:acc_…`. */
  readonly target: string;
  /** What changed: names and their new values. */
  readonly diff: Readonly<Record<string, unknown>>;
  readonly atMs: number;
}

/** Characters of a text of an entry. */
const MAX_TEXT = 1_000;

/** Writes a change in the transaction that makes it: there is no change without its entry. */
export async function recordChange(queries: Queries, change: Change): Promise<void> {
  const diff = JSON.stringify(change.diff, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
  const row = {
    at_ms: change.atMs,
    actor: clean(change.actor),
    action: change.action,
    target: clean(change.target),
    diff: diff.slice(0, 16 * MAX_TEXT),
  };
  await queries.insert(AUDIT, [row]);
}

function clean(text: string): string {
  return text.slice(0, MAX_TEXT).replaceAll('\0', '').toWellFormed();
}
