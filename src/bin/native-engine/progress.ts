import type { LoadProgress, OnProgress } from '../../artifact/index.js';
import type { Clock } from '../../base/index.js';
import { openStatusLine, sizeText, type Screen } from '../../cli/index.js';

const words = {
  download: 'downloading',
  hash: 'reading',
  convert: 'converting',
  load: 'loading',
} as const satisfies Record<LoadProgress['phase'], string>;

/** How far a load is, on standard error. Disposing of it leaves no trace on a terminal. */
export interface ProgressLine extends Disposable {
  readonly onProgress: OnProgress;
}

/** Shows the progress of work on the model `name`, as a status line. */
export function openProgressLine(terminal: Screen, name: string, clock?: Clock): ProgressLine {
  const line = openStatusLine(terminal, clock);
  return {
    onProgress({ phase, doneBytes, totalBytes }) {
      const share = totalBytes > 0 ? Math.min(1, doneBytes / totalBytes) : 1;
      line.show(
        share,
        (bar) => `${words[phase]} ${name}: ${bar}${Math.floor(share * 100)} % of ${sizeText(totalBytes)}`,
      );
    },
    [Symbol.dispose]: () => line.clear(),
  };
}
