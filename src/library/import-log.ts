import type { OnNotice, OnProgress } from '../convert/index.js';
import type { Clock, LogEntry } from '../base/index.js';

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
