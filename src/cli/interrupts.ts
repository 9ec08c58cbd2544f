import { AppError } from '../base/index.js';

/** Signals that interrupt: the first stops the present work, the second the process. */
export interface Interrupts {
  /** Runs `work` with a signal that the first Ctrl-C aborts. */
  during<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** The same for a service, which SIGTERM stops too. */
  duringService<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

/** Exit status of a process that was interrupted: 128 + SIGINT. */
export const INTERRUPTED = 130;
/** Exit status of a process that was terminated: 128 + SIGTERM. */
const TERMINATED = 143;

/** Listens for signals. Calls `exit` when no work is running, or at a second signal while the work stops. */
export function listenToInterrupts(exit: (code: number) => void): Interrupts {
  const running: AbortController[] = [];
  const stop = (status: number, why: string): void => {
    const innermost = running.at(-1);
    if (innermost === undefined || innermost.signal.aborted) exit(status);
    else innermost.abort(new AppError('interrupted', why));
  };
  const onTerm = (): void => stop(TERMINATED, 'Stopped by SIGTERM.');
  process.on('SIGINT', () => stop(INTERRUPTED, 'Interrupted by Ctrl-C.'));

  const during: Interrupts['during'] = async (work) => {
    const controller = new AbortController();
    running.push(controller);
    try {
      return await work(controller.signal);
    } finally {
      running.splice(running.indexOf(controller), 1);
    }
  };
  return {
    during,
    async duringService(work) {
      process.on('SIGTERM', onTerm);
      try {
        return await during(work);
      } finally {
        process.off('SIGTERM', onTerm);
      }
    },
  };
}
