// What the log of a server says of models that come: conversions and pulls.
import type { Clock, LogEntry } from '../../base/index.js';
import type { OnNotice, OnProgress } from '../../convert/index.js';
import type { OnPullEvent } from '../pull/pull-events.js';

/** A conversion that is done sooner is not worth a line. */
const SILENT_MS = 500;
/** Then one line in so long. */
const EVERY_MS = 5_000;

/** Writes to the log how far the conversion of `model` is, where it takes long, and what its user should know of it. */
export function createImportLog(
  model: string,
  log: (entry: LogEntry) => void,
  clock: Clock,
): { onProgress: OnProgress; onNotice: OnNotice } {
  let dueMs: number | undefined;
  return {
    onProgress({ phase, doneBytes, totalBytes }) {
      dueMs ??= clock.nowMs() + SILENT_MS;
      if (clock.nowMs() < dueMs) return;
      dueMs = clock.nowMs() + EVERY_MS;
      log({ event: 'import', model, phase, doneBytes, totalBytes });
    },
    onNotice: ({ kind, text }) => log({ event: 'import', model, notice: kind, text }),
  };
}

/** One line of progress in so long. */
const PULL_EVERY_MS = 5_000;

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
        dueMs = clock.nowMs() + PULL_EVERY_MS;
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
