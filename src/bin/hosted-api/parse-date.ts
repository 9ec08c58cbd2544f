import { AppError } from '../../base/index.js';

/** A day in UTC, or a point in time, in milliseconds since 1970. Errors: `invalid_option`. */
export function parseDate(option: string, text: string): number {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const isTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/.test(text);
  const time = isDay || isTime ? Date.parse(text) : NaN;
  if (!Number.isNaN(time) && time >= 0) return time;
  const message = `${option} is ${JSON.stringify(text)}, but must be a day such as 2027-01-31, or a time such as 2027-01-31T12:00:00Z.`;
  throw new AppError('invalid_option', message, { option, value: text });
}
