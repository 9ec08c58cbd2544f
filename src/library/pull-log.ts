import type { Clock, LogEntry } from '../base/index.js';
import type { OnPullEvent } from '../pull/index.js';

/** One line of progress in so long. */
const EVERY_MS = 5_000;

/** Writes to the log what happens to the pull of `model`: its plan, how far it is, what is tried again. */
export function createPullLog(model: string, log: (entry: LogEntry) => void, clock: Clock): OnPullEvent {
  let dueMs = 0;
  return (event) => {
    switch (event.kind) {
      case 'plan': {
        const { downloadBytes, memoryBytes, fits } = event.estimate;
        log({ event: 'pull', model, revision: event.revision, quant: event.quant, downloadBytes, memoryBytes, fits });
        break;
      }
      case 'download':
      case 'convert': {
        if (clock.nowMs() < dueMs) break;
        dueMs = clock.nowMs() + EVERY_MS;
        log({ event: 'pull', model, phase: event.kind, doneBytes: event.doneBytes, totalBytes: event.totalBytes });
        break;
      }
      case 'retry':
        log({
          event: 'pull',
          model,
          retry: event.reason,
          file: event.file,
          attempt: event.attempt,
          waitMs: Math.round(event.waitMs),
        });
        break;
      case 'note':
        log({ event: 'pull', model, note: event.text });
        break;
      case 'notice':
        log({ event: 'pull', model, notice: event.notice.kind, text: event.notice.text });
        break;
      case 'wait':
        log({ event: 'pull', model, waitsForProcess: event.pid ?? null });
    }
  };
}
