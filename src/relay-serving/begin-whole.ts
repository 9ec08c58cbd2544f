import { AppError } from '../base/index.js';
import type { RelayedBody, RequestFacts } from '../relay/index.js';
import type { RelayRecord } from './relay-record.js';

/**
 * Reads the beginning of an answer that is no stream. One of which nothing may be handed on, since it has more tokens than it
 * may, is an error of its own then, and no head without a body. Errors: what it was cut by, which `record` has.
 */
export async function beginWhole(
  body: RelayedBody,
  { stream }: RequestFacts,
  record: Pick<RelayRecord, 'error'>,
): Promise<void> {
  if (stream || (await body.begin())) return;
  const { code, message } = record.error ?? { code: 'upstream_error', message: 'the answer was cut' };
  throw new AppError(code, message);
}
