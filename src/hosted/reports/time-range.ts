import { AppError, parseTime } from '../../base/index.js';
import type { TimeRange } from '../../billing/index.js';
import { Type } from '../../schema/index.js';

const DAY_MS = 86_400_000;
/** Days that one answer sums at most. */
const MAX_DAYS = 400;
const DEFAULT_DAYS = 30;

/** A range as it is asked for. */
interface Asked {
  readonly from?: string;
  readonly to?: string;
}

/** Days as they are asked for. */
export const dayFields = {
  from: Type.Optional(
    Type.String({ maxLength: 40, description: 'a day in UTC such as 2027-01-31; default 30 days before the last one' }),
  ),
  to: Type.Optional(Type.String({ maxLength: 40, description: 'the day behind the last one; default tomorrow' })),
};

/** Times as they are asked for. */
export const timeFields = {
  from: Type.Optional(
    Type.String({
      maxLength: 40,
      description: 'a day, or a time such as 2027-01-31T08:00:00Z; default a day before to',
    }),
  ),
  to: Type.Optional(Type.String({ maxLength: 40, description: 'the end, which is not in the range; default now' })),
};

/** Whole days in UTC, also those of which a part is asked for. Errors: `invalid_value`. */
export function readDays(query: Asked, nowMs: number): Required<TimeRange> {
  const toMs = query.to === undefined ? startOfDay(nowMs) + DAY_MS : startOfDay(readTime('to', query.to) + DAY_MS - 1);
  const fromMs = query.from === undefined ? toMs - DEFAULT_DAYS * DAY_MS : startOfDay(readTime('from', query.from));
  if (fromMs < toMs && toMs - fromMs <= MAX_DAYS * DAY_MS) return { fromMs, toMs };
  const message = `from and to span no days, or more than ${MAX_DAYS}; ask for fewer`;
  throw new AppError('invalid_value', message, { param: 'from' });
}

/** A range of times. Errors: `invalid_value`. */
export function readTimes(query: Asked, nowMs: number): Required<TimeRange> {
  const toMs = query.to === undefined ? nowMs : readTime('to', query.to);
  const fromMs = query.from === undefined ? toMs - DAY_MS : readTime('from', query.from);
  if (fromMs < toMs) return { fromMs, toMs };
  throw new AppError('invalid_value', 'from is not before to; send an earlier from, or a later to', { param: 'from' });
}

/** A time with its zone, or the first moment of a day in UTC. */
function readTime(param: string, text: string): number {
  const time = parseTime(text);
  if (time !== undefined) return time;
  throw new AppError(
    'invalid_value',
    `${param} is ${JSON.stringify(text)}, which is no day; write one such as 2027-01-31`,
    { param },
  );
}

function startOfDay(unixMs: number): number {
  return Math.floor(unixMs / DAY_MS) * DAY_MS;
}
