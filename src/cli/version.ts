import { readFileSync } from 'node:fs';

/** The version in package.json, three folders above this file's compiled form. */
export function version(): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  const parsed: unknown = JSON.parse(text);
  const known = typeof parsed === 'object' && parsed !== null && 'version' in parsed ? parsed.version : undefined;
  return typeof known === 'string' ? known : 'unknown';
}
