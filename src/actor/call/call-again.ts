import { AppError, isAppError } from '../../base/index.js';

/** Codes that say that an actor's instance went away, and nothing about the work it was asked for. */
const LOST: ReadonlySet<string> = new Set(['actor_down', 'actor_crashed', 'actor_stopped', 'supervisor_escalated']);

/** Whether a call was lost with the actor: its work may have been done or not, and nobody will tell. */
export function isLost(thrown: unknown): thrown is AppError {
  return isAppError(thrown) && LOST.has(thrown.code);
}

/**
 * Makes a call again, on the instance that comes after, when the one that had it died; `attempts` times at most, the
 * first included. Only for work that may be done twice. The call should wait for the restart (`whenDown: 'wait'`).
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
