import type { LoadProgress, OnProgress } from '../artifact/index.js';
import { systemClock, type Clock } from '../base/index.js';
import type { Terminal } from './terminal.js';

/** What is done sooner is not worth a line. */
const SILENT_MS = 500;
/** On a terminal: as often as an eye can follow. */
const REDRAW_MS = 100;
/** Into a file or a pipe: one line in so long. */
const LINE_MS = 5_000;
const CLEAR_LINE = '\r\x1b[K';

const words = { hash: 'reading', convert: 'converting', load: 'loading' } as const satisfies Record<
  LoadProgress['phase'],
  string
>;

/** What of a terminal is used. */
type Screen = Pick<Terminal, 'env' | 'closed'> & {
  readonly stderr: { readonly isTTY?: boolean; readonly columns?: number; write(text: string): unknown };
};

/** How far a load is, on standard error. Disposing of it leaves no trace on a terminal. */
export interface ProgressLine extends Disposable {
  readonly onProgress: OnProgress;
}

/**
 * Shows the progress of work on the model `name` when it takes longer than half a second: on a terminal in one line that is
 * written anew, elsewhere in a line every five seconds.
 */
export function openProgressLine(terminal: Screen, name: string, clock: Clock = systemClock): ProgressLine {
  const { stderr, env } = terminal;
  const redraws = stderr.isTTY === true && env['TERM'] !== 'dumb';
  const nextMs = redraws ? REDRAW_MS : LINE_MS;
  let dueMs: number | undefined;
  let isShown = false;
  return {
    onProgress(progress) {
      // From the first word on: what was loaded and looked for before is no part of it.
      dueMs ??= clock.nowMs() + SILENT_MS;
      if (clock.nowMs() < dueMs || terminal.closed.aborted) return;
      dueMs = clock.nowMs() + nextMs;
      isShown = true;
      const text = toText(progress, name);
      // A line that wraps could not be taken back.
      stderr.write(redraws ? `${CLEAR_LINE}${text.slice(0, Math.max(1, (stderr.columns ?? 80) - 1))}` : `${text}\n`);
    },
    [Symbol.dispose]() {
      if (isShown && redraws && !terminal.closed.aborted) stderr.write(CLEAR_LINE);
      isShown = false;
    },
  };
}

function toText({ phase, doneBytes, totalBytes }: LoadProgress, name: string): string {
  const percent = totalBytes > 0 ? Math.floor((doneBytes / totalBytes) * 100) : 100;
  return `${words[phase]} ${name}: ${percent} % of ${toSize(totalBytes)}`;
}

function toSize(bytes: number): string {
  return bytes < 2 ** 30 ? `${(bytes / 2 ** 20).toFixed(1)} MiB` : `${(bytes / 2 ** 30).toFixed(1)} GiB`;
}
