// The grace of a rotation, at the command lines of both products that have keys.
import { parseDuration, textOption } from '../cli/index.js';

/** `--grace` */
export const graceFlag = () =>
  textOption('--grace', { value: 'TIME', description: 'how long the old secret is still taken' }, '15m');

/** The value of `--grace` in milliseconds. Errors: `invalid_option`. */
export async function parseGrace(text: string): Promise<number> {
  const { MAX_GRACE_MS } = await import('../metering/index.js');
  return parseDuration('--grace', text, { minMs: 0, maxMs: MAX_GRACE_MS });
}
