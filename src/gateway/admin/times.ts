// Times of the admin API: RFC 3339 on the wire, milliseconds since 1970 within.
import { invalidValue, parseTime } from '../../base/index.js';

/** A time that was sent; one without a zone is in UTC. Errors: `invalid_value`. */
export function readTime(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const unixMs = parseTime(text) ?? parseTime(`${text}Z`);
  if (unixMs !== undefined) return unixMs;
  throw invalidValue(name, text, 'a time such as 2026-11-26T08:00:00Z');
}

/** A span that was sent. `to` is not within it. Errors: `invalid_value`. */
export function readSpan(query: { readonly from?: string | undefined; readonly to?: string | undefined }): {
  readonly fromMs?: number;
  readonly toMs?: number;
} {
  const [fromMs, toMs] = [readTime('from', query.from), readTime('to', query.to)];
  if (fromMs !== undefined && toMs !== undefined && toMs <= fromMs) {
    throw invalidValue('to', String(query.to), 'a time after from');
  }
  return { ...(fromMs !== undefined && { fromMs }), ...(toMs !== undefined && { toMs }) };
}
