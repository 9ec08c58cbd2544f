import { AppError } from '../base/index.js';
import type { RelayedBody, RequestFacts } from '../relay/index.js';
import type { RelayRecord } from './relay-record.js';

/**
 * Reads the beginning of an answer that is not a stream. If its tokens exceed the limit before the first byte, the
 * client gets an error instead of a head without a body. Errors: the reason of the cut, from `record`.
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
