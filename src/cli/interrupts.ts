import { AppError } from '../base/index.js';

/** Ctrl-C: the first stops the work at hand, the second the process. */
export interface Interrupts {
  /** Runs `work` with a signal that the first Ctrl-C aborts. */
  during<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

/** Exit status of a process that was interrupted: 128 + SIGINT. */
export const INTERRUPTED = 130;

/** Listens to SIGINT; `exit` is called when there is nothing to stop, or when stopping takes too long for the user. */
export function listenToInterrupts(exit: (code: number) => void): Interrupts {
  const running: AbortController[] = [];
  process.on('SIGINT', () => {
    const innermost = running.at(-1);
    if (innermost === undefined || innermost.signal.aborted) exit(INTERRUPTED);
    else innermost.abort(new AppError('interrupted', 'Interrupted by Ctrl-C.'));
  });
  return {
    async during(work) {
      const controller = new AbortController();
      running.push(controller);
      try {
        return await work(controller.signal);
      } finally {
        running.splice(running.indexOf(controller), 1);
      }
    },
  };
}
