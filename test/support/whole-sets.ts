// Sets of cases that are too large for the repository and may lie beside the project.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The path of a whole set, `copied` where it is not to be used. Only the long suites use it (vitest.long.config.js), so that
 * `npm test` proves the same in each clone and takes the same time.
 */
export function wholeSet(beside: string, copied: string): string {
  const whole = join(process.cwd(), '../shared', beside);
  return process.env['TEST_WHOLE_SETS'] !== undefined && existsSync(whole) ? whole : join(process.cwd(), copied);
}
