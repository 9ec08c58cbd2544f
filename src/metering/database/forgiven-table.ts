import { amountOf, integerOf, textOf, type Store } from '../../database/index.js';
import type { ForgivenOfKey } from '../ledger/forgiven.js';
import { WINDOWS } from '../window.js';

/** Amounts that budgets do not count, by key, unit and window. */
export interface ForgivenTable {
  all(): readonly ForgivenOfKey[];
  /** Writes an amount, which replaces the earlier one of its budget. */
  put(forgiven: ForgivenOfKey): void;
}

/** Compiles the statements of the table of forgiven amounts. */
export function openForgivenTable(store: Store): ForgivenTable {
  const all = store.prepare('SELECT * FROM forgiven ORDER BY key_id');
  const put = store.prepare(
    'INSERT OR REPLACE INTO forgiven (key_id, currency, window, start_day, amount) VALUES (?1, ?2, ?3, ?4, ?5)',
  );
  return {
    all: () =>
      all.all().flatMap((row) => {
        const window = WINDOWS.find((each) => each === textOf(row, 'window'));
        const currency = textOf(row, 'currency') ?? '';
        if (window === undefined) return [];
        return [
          {
            keyId: textOf(row, 'key_id') ?? '',
            ...(currency !== '' && { currency }),
            window,
            start: integerOf(row, 'start_day'),
            amount: amountOf(row, 'amount'),
          },
        ];
      }),
    put: ({ keyId, currency = '', window, start, amount }) => void put.run(keyId, currency, window, start, amount),
  };
}
