import { AppError, isAppError, isError, waitFor, type Clock } from '../../base/index.js';
import { DEFAULT_START_DEADLINE_MS } from './child.js';
import type { SupervisorSpec } from './spec.js';

/**
 * Runs the `prepare` of a supervisor, if it has one. Errors: its own `AppError` unchanged, or the reason of `signal`.
 * Any other exception, and a timeout, gives `actor_start_failed`.
 */
export async function prepareChildren(
  { id, prepare }: SupervisorSpec,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  if (prepare === undefined) return;
  signal.throwIfAborted();
  try {
    const done = Promise.resolve(signal).then(prepare);
    await waitFor(done, `prepare() of supervisor "${id}"`, { deadlineMs: DEFAULT_START_DEADLINE_MS, signal, clock });
  } catch (thrown) {
    if (isAppError(thrown) && !['deadline_exceeded', 'internal_error'].includes(thrown.code)) throw thrown;
    const cause = isAppError(thrown) ? thrown.code : 'internal_error';
    const why = isError(thrown) ? thrown.message : String(thrown);
    throw new AppError('actor_start_failed', `supervisor "${id}" did not start: ${why}`, { actor: id, cause });
  }
}
