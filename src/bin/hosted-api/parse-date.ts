import { AppError, parseTime } from '../../base/index.js';

/** A day in UTC, or a point in time, in milliseconds since 1970. Errors: `invalid_option`. */
export function parseDate(option: string, text: string): number {
  const time = parseTime(text);
  if (time !== undefined && time >= 0) return time;
  const message = `${option} is ${JSON.stringify(text)}, but must be a day such as 2027-01-31, or a time such as 2027-01-31T12:00:00Z.`;
  throw new AppError('invalid_option', message, { option, value: text });
}
