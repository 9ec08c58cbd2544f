import { AppError, isAppError } from '../../base/index.js';

/** Codes of an ended instance; they say nothing about the work of the call. */
const LOST: ReadonlySet<string> = new Set(['actor_down', 'actor_crashed', 'actor_stopped', 'supervisor_escalated']);

/** Whether a call was lost with the actor: its work may or may not be done, and no answer will come. */
export function isLost(thrown: unknown): thrown is AppError {
  return isAppError(thrown) && LOST.has(thrown.code);
}

/**
 * Makes a call again on the next instance if the instance died during it. Makes at most `attempts` calls, the first
 * included. Only for idempotent work. The call should wait for the restart (`whenDown: 'wait'`).
 */
export async function callAgain<T>(attempts: number, call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (thrown) {
      if (!isLost(thrown) || attempt >= attempts) throw thrown;
    }
  }
}
