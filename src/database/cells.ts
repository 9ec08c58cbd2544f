import type { Row, SqlValue } from './stores/store.js';

/** The text in a column; null reads as undefined. */
export function textOf(row: Row, name: string): string | undefined {
  const value = row[name];
  return typeof value === 'string' ? value : undefined;
}

/** The whole number in a column; null reads as 0. */
export function integerOf(row: Row, name: string): number {
  return Number(row[name] ?? 0);
}

/** The amount in a column, exact; null reads as 0. */
export function amountOf(row: Row, name: string): bigint {
  return BigInt(row[name] ?? 0);
}

/** A boolean as SQLite has it. */
export function toFlag(value: boolean): SqlValue {
  return value ? 1 : 0;
}

/** A text as a column takes it: of at most `maxLength` UTF-16 units, well-formed, without U+0000. */
export function cleanText(text: string, maxLength: number): string {
  return text.slice(0, maxLength).replaceAll('\0', '').toWellFormed();
}
