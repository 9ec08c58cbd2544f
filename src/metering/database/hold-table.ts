import type { HoldRecord } from '../ledger/hold-record.js';
import { amountOf, integerOf, textOf, type Store } from '../../database/index.js';

/** A hold that a process left behind. */
export interface LeftHold {
  readonly requestId: string;
  readonly keyId: string;
  readonly model: string;
  readonly currency: string | undefined;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly heldMicro: bigint;
  /** Whether a byte of its answer was handed on. */
  readonly began: boolean;
  readonly day: number;
  readonly createdAtMs: number;
}

/** The open holds in the database. */
export interface HoldTable {
  insert(hold: HoldRecord, day: number, createdAtMs: number): void;
  /** Writes the hold's present amounts, and that its answer began. */
  update(hold: HoldRecord): void;
  remove(requestId: string): void;
  all(): readonly LeftHold[];
}

/** Compiles the statements of the table of holds. */
export function openHoldTable(store: Store): HoldTable {
  const insert = store.prepare(
    `INSERT INTO hold (request_id, key_id, model, currency, prompt_tokens, completion_tokens, held_micro, day, created_at_ms)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)`,
  );
  const update = store.prepare(
    'UPDATE hold SET completion_tokens = ?2, held_micro = ?3, began = 1 WHERE request_id = ?1',
  );
  const remove = store.prepare('DELETE FROM hold WHERE request_id = ?1');
  const all = store.prepare('SELECT * FROM hold ORDER BY created_at_ms, request_id');
  return {
    insert({ requestId, keyId, model, price, promptTokens, completionTokens, heldMicro }, day, createdAtMs) {
      const currency = price?.currency ?? null;
      insert.run(requestId, keyId, model, currency, promptTokens, completionTokens, heldMicro, day, createdAtMs);
    },
    update: ({ requestId, completionTokens, heldMicro }) => update.run(requestId, completionTokens, heldMicro),
    remove: (requestId) => remove.run(requestId),
    all: () =>
      all.all().map((row) => ({
        requestId: textOf(row, 'request_id') ?? '',
        keyId: textOf(row, 'key_id') ?? '',
        model: textOf(row, 'model') ?? '',
        currency: textOf(row, 'currency'),
        promptTokens: integerOf(row, 'prompt_tokens'),
        completionTokens: integerOf(row, 'completion_tokens'),
        heldMicro: amountOf(row, 'held_micro'),
        began: integerOf(row, 'began') === 1,
        day: integerOf(row, 'day'),
        createdAtMs: integerOf(row, 'created_at_ms'),
      })),
  };
}
