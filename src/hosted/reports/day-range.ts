import { AppError, parseTime } from '../../base/index.js';
import type { TimeRange } from '../../billing/index.js';
import { Type } from '../../schema/index.js';

const DAY_MS = 86_400_000;
/** Days that one answer sums at most. */
const MAX_DAYS = 400;
const DEFAULT_DAYS = 30;

/** Days as they are asked for. */
export const dayFields = {
  from: Type.Optional(
    Type.String({ maxLength: 40, description: 'a day in UTC such as 2027-01-31; default 30 days before the last one' }),
  ),
  to: Type.Optional(Type.String({ maxLength: 40, description: 'the day behind the last one; default tomorrow' })),
};

/** Whole days in UTC. Errors: `invalid_value`. */
export function readDays(query: { readonly from?: string; readonly to?: string }, nowMs: number): Required<TimeRange> {
  const toMs = query.to === undefined ? startOfDay(nowMs) + DAY_MS : parseDay('to', query.to);
  const fromMs = query.from === undefined ? toMs - DEFAULT_DAYS * DAY_MS : parseDay('from', query.from);
  if (fromMs < toMs && toMs - fromMs <= MAX_DAYS * DAY_MS) return { fromMs, toMs };
  const message = `from and to span no days, or more than ${MAX_DAYS}; ask for fewer`;
  throw new AppError('invalid_value', message, { param: 'from' });
}

/** The first moment of a day in UTC, of a day or of a time with its zone. */
function parseDay(param: string, text: string): number {
  const time = parseTime(text);
  if (time !== undefined) return startOfDay(time);
  throw new AppError(
    'invalid_value',
    `${param} is ${JSON.stringify(text)}, which is no day; write one such as 2027-01-31`,
    { param },
  );
}

function startOfDay(unixMs: number): number {
  return Math.floor(unixMs / DAY_MS) * DAY_MS;
}
