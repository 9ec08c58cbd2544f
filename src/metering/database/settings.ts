import { textOf, type Store } from '../../database/index.js';

/** Single values of the database. */
export interface DatabaseSettings {
  get(name: string): string | undefined;
  set(name: string, value: string): void;
}

/** Compiles the statements of the table of settings. */
export function openSettings(store: Store): DatabaseSettings {
  const get = store.prepare('SELECT value FROM setting WHERE name = ?1');
  const set = store.prepare('INSERT OR REPLACE INTO setting (name, value) VALUES (?1, ?2)');
  return {
    get(name) {
      const row = get.get(name);
      return row === undefined ? undefined : textOf(row, 'value');
    },
    set: (name, value) => set.run(name, value),
  };
}
