import { systemClock, type Clock } from '../../../base/index.js';
import type { OnPullEvent, Pulled } from '../../../models/index.js';
import type { PullOutput } from '../outputs/hub.js';
import { createTransferRate } from './transfer-rate.js';

/** A line of progress at most so often. */
const EVERY_MS = 500;

/** Prints what happens to a pull as lines of JSON, but for its end. */
export function createPullLines(print: (line: PullOutput) => void, clock: Clock = systemClock): OnPullEvent {
  const rate = createTransferRate(clock);
  let dueMs = 0;
  return (event) => {
    switch (event.kind) {
      case 'plan': {
        const {
          downloadBytes,
          diskBytes,
          freeBytes = null,
          memoryBytes,
          budgetBytes,
          fits,
          fittingQuant = null,
        } = event.estimate;
        const { repo, revision, quant = null } = event;
        const sizes = { downloadBytes, diskBytes, freeBytes, memoryBytes, budgetBytes, fits, fittingQuant };
        return print({ event: 'plan', repo, revision, quant, ...sizes });
      }
      case 'download':
      case 'convert': {
        const { kind, doneBytes, totalBytes } = event;
        if (event.kind === 'convert' && event.isBeside) return undefined;
        if (kind === 'download') rate.note(doneBytes);
        if (clock.nowMs() < dueMs && doneBytes < totalBytes) return undefined;
        dueMs = clock.nowMs() + EVERY_MS;
        const speed = kind === 'download' ? rate.bytesPerSecond : undefined;
        const left = kind === 'download' ? rate.secondsFor(totalBytes - doneBytes) : undefined;
        const bytesPerSecond = speed === undefined ? null : Math.round(speed);
        return print({
          event: kind,
          doneBytes,
          totalBytes,
          bytesPerSecond,
          secondsLeft: left === undefined ? null : Math.ceil(left),
        });
      }
      case 'retry': {
        const { file, reason, attempt, waitMs } = event;
        return print({ event: 'retry', file: file ?? null, reason, attempt, waitMs: Math.round(waitMs) });
      }
      case 'note':
        return print({ event: 'note', text: event.text });
      case 'notice':
        return print({ event: 'notice', text: event.notice.text });
      case 'wait':
        return print({ event: 'wait', text: `process ${event.pid ?? 'of another machine'} pulls the model` });
    }
  };
}

/** The last line. */
export function doneLine({ outcome, model, repo, revision, quant, fetchedBytes }: Pulled): PullOutput {
  const { name, path } = model;
  return { event: 'done', outcome, name, path, repo, revision, quant: quant ?? null, fetchedBytes };
}
