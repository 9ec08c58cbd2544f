import { AppError } from '../../base/index.js';

const VISIBLE = /^[\x21-\x7e]{1,255}$/;

/** The client's own key of its request; undefined: it has none. Errors: `invalid_value`. */
export function idempotencyKeyOf(headers: ReadonlyMap<string, string>): string | undefined {
  const key = headers.get('idempotency-key');
  if (key === undefined || VISIBLE.test(key)) return key;
  const message = `Idempotency-Key has ${key.length} characters; send 1 to 255 visible characters of ASCII`;
  throw new AppError('invalid_value', message, { param: 'Idempotency-Key' });
}
