import { systemClock, type Clock } from '../base/index.js';
import { understandsEscapes, type Terminal } from './terminal.js';

/** Work that ends sooner gets no line. */
const SILENT_MS = 500;
/** On a terminal: as often as an eye can follow. */
const REDRAW_MS = 100;
/** Into a file or a pipe: one line per interval. */
const LINE_MS = 5_000;
/** Width of the bar, without its ends. */
const BAR_COLUMNS = 20;
const CLEAR_LINE = '\r\x1b[K';

/** The part of a terminal that is used here. */
export type Screen = Pick<Terminal, 'env' | 'closed'> & {
  readonly stderr: { readonly isTTY?: boolean; readonly columns?: number; write(text: string): unknown };
};

/** Progress of some work, on standard error. Disposing of it leaves no trace on a terminal. */
export interface StatusLine extends Disposable {
  /** Shows `share`, from 0 to 1, and the text of `render`, if a redraw is due: with a bar on a terminal, '' elsewhere. */
  show(share: number, render: (bar: string) => string): void;
  /** Removes the line from a terminal, before other output. */
  clear(): void;
}

/**
 * A line for work that takes longer than half a second. On a terminal it is redrawn; elsewhere another line follows
 * every five seconds.
 */
export function openStatusLine(terminal: Screen, clock: Clock = systemClock): StatusLine {
  const { stderr } = terminal;
  const redraws = understandsEscapes(terminal, stderr);
  const nextMs = redraws ? REDRAW_MS : LINE_MS;
  let dueMs: number | undefined;
  let isShown = false;
  const clear = (): void => {
    if (isShown && redraws && !terminal.closed.aborted) stderr.write(CLEAR_LINE);
    isShown = false;
  };
  return {
    show(share, render) {
      // From the first call on: the time before does not count.
      dueMs ??= clock.nowMs() + SILENT_MS;
      if (clock.nowMs() < dueMs || terminal.closed.aborted) return;
      dueMs = clock.nowMs() + nextMs;
      isShown = true;
      const text = render(redraws ? `${toBar(share)} ` : '');
      // A line that wraps could not be erased.
      stderr.write(redraws ? `${CLEAR_LINE}${text.slice(0, Math.max(1, (stderr.columns ?? 80) - 1))}` : `${text}\n`);
    },
    clear,
    [Symbol.dispose]: clear,
  };
}

function toBar(share: number): string {
  const done = Math.floor(Math.min(1, share) * BAR_COLUMNS);
  return `[${'='.repeat(done)}${' '.repeat(BAR_COLUMNS - done)}]`;
}
