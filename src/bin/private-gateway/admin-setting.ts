import { AppError, describe } from '../../base/index.js';
import type { Terminal } from '../../cli/index.js';

/** Turns the admin page on or off, whatever the file says. */
const ADMIN_VARIABLE = 'TROUPE_ADMIN_ENABLED';

/** Whether the admin page is turned on, by `true` alone, or off. Undefined: the file says. Errors: `admin_setting_invalid` for what might have meant it. */
export function readAdminSetting(env: Terminal['env']): boolean | undefined {
  const value = env[ADMIN_VARIABLE] ?? '';
  if (value === 'true') return true;
  if (value === 'false') return false;
  if (value === '') return undefined;
  const message = `${ADMIN_VARIABLE} is ${describe(value, true)}; write true to turn the admin page on, or false`;
  throw new AppError('admin_setting_invalid', message);
}
