import { integerOf, textOf, type Store } from '../../database/index.js';
import { hideSecrets, type AuditEvent } from './audit-entry.js';

/** An action that is about to be done: its outcome is not known yet. */
export type AuditIntent = Omit<AuditEvent, 'outcome' | 'reason'>;

/** An action that began, and whose end is not in the log. */
export interface OpenIntent {
  readonly id: number;
  readonly event: AuditIntent;
}

/** Actions that began. They stay on the disk until the log has their outcome. */
export interface AuditIntents {
  /** Writes an intent; returns its id. Errors: those of the database. */
  begin(event: AuditIntent, atMs: number): number;
  remove(id: number): void;
  /** Intents that an ended process left, the oldest first. */
  open(): readonly OpenIntent[];
}

/** Left by one process: as many changes as are under way at once, which are few. */
const MAX_OPEN = 1_000;

/** Compiles the statements of intents. */
export function openAuditIntents(store: Store): AuditIntents {
  const insert = store.prepare('INSERT INTO intent (id, ts_ms, event) VALUES (?1, ?2, ?3)');
  const remove = store.prepare('DELETE FROM intent WHERE id = ?1');
  const open = store.prepare('SELECT id, event FROM intent ORDER BY id LIMIT ?1');
  const newest = store.prepare('SELECT max(id) AS id FROM intent').get();
  let last = newest === undefined || newest['id'] === null ? 0 : integerOf(newest, 'id');
  return {
    begin(event, atMs) {
      const text = JSON.stringify(event, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
      insert.run(last + 1, atMs, hideSecrets(text));
      return ++last;
    },
    remove: (id) => void remove.run(id),
    open: () =>
      open.all(MAX_OPEN).map((row) => ({
        id: integerOf(row, 'id'),
        event: JSON.parse(textOf(row, 'event') ?? '{}') as AuditIntent,
      })),
  };
}
