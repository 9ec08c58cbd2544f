/** Light, dark, or the system's theme. */
export type Theme = 'system' | 'light' | 'dark';

/** Reads a stored theme; other values give the system's. */
export function readTheme(value: unknown): Theme {
  return value === 'light' || value === 'dark' ? value : 'system';
}
