/** Light, dark, or as the system is. */
export type Theme = 'system' | 'light' | 'dark';

/** A theme that was kept; anything else is the system's. */
export function readTheme(value: unknown): Theme {
  return value === 'light' || value === 'dark' ? value : 'system';
}
