// The options that choose a time: of usage, requests, payments and entries of the audit log, in every product.
import { AppError, parseTime, unixMs } from '../base/index.js';
import { textOption } from './help/option.js';
import { LATEST_MS, sumOfUnits } from './option-values.js';

/** `--from`, or `--since`: the start of the time. `initial`: the start where the option is absent, for help. */
export function fromOption(initial = 'the beginning'): string | undefined {
  const description = 'from this day in UTC, this time, or so long ago on: 2027-01-31, 24h, 30d';
  return textOption('--from', { value: 'TIME', also: '--since', description, default: initial });
}

/** `--to`: the end of the time, which does not belong to it. */
export function toOption(initial = 'now'): string | undefined {
  return textOption('--to', { value: 'TIME', description: 'until this day or time, without it', default: initial });
}

/** The time that the two options choose, in milliseconds since 1970. Errors: `invalid_option`. */
export function readTimeRange(
  { from, to }: { readonly from: string | undefined; readonly to: string | undefined },
  nowMs = unixMs(),
): { readonly from_ms?: number; readonly to_ms?: number } {
  const range = {
    ...(from !== undefined && { from_ms: parsePast('--from', from, nowMs) }),
    ...(to !== undefined && { to_ms: parsePast('--to', to, nowMs) }),
  };
  const { from_ms: fromMs, to_ms: toMs } = range;
  if (fromMs === undefined || toMs === undefined || fromMs < toMs) return range;
  const message = `--from is ${JSON.stringify(from)}, which is not before --to, ${JSON.stringify(to)}: give an earlier --from or a later --to.`;
  throw new AppError('invalid_option', message, { option: '--from', value: String(from) });
}

/** The same as texts of JSON. Errors: `invalid_option`. */
export function readTimeTexts(given: Parameters<typeof readTimeRange>[0]): {
  readonly from?: string;
  readonly to?: string;
} {
  const { from_ms: fromMs, to_ms: toMs } = readTimeRange(given);
  return {
    ...(fromMs !== undefined && { from: new Date(fromMs).toISOString() }),
    ...(toMs !== undefined && { to: new Date(toMs).toISOString() }),
  };
}

/** A day in UTC, a time with its zone, or a duration before now. */
function parsePast(option: string, text: string, nowMs: number): number {
  const spanMs = sumOfUnits(text);
  const time = spanMs === undefined ? parseTime(text) : Math.round(nowMs - spanMs);
  if (time !== undefined && time >= 0 && time <= LATEST_MS) return time;
  const message = `${option} is ${JSON.stringify(text)}, but must be a day such as 2027-01-31, a time such as 2027-01-31T12:00:00Z, or so long ago such as 30d or 12h.`;
  throw new AppError('invalid_option', message, { option, value: text });
}
