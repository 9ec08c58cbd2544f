// Several command lines on one pseudo-terminal, one after the other, each with what it showed and its exit status.
import { join } from 'node:path';
import { ENDED, STATUS_ENDED, type HostedLine } from './command-host.js';
import { openScreen, type Screen, type ScreenOptions } from './processes.js';

/** What one command line showed, and its exit status. */
export interface Shown {
  readonly text: string;
  readonly status: number;
}

/** A terminal on which the lines run. */
export interface CommandSession {
  /** For keys and what is waited for within a command. */
  readonly screen: Screen;
  /** Waits until the next command has ended. */
  next(): Promise<Shown>;
}

const HOST = join(process.cwd(), 'dist/test/e2e/command-host.js');

/** Starts the first of the lines; each of the others starts when the one before has ended. */
export function openSession(lines: readonly HostedLine[], options: ScreenOptions): CommandSession {
  const screen = openScreen([JSON.stringify(lines)], lines[0]?.home ?? '', { ...options, entry: HOST });
  let read = 0;
  return {
    screen,
    async next() {
      await screen.see(STATUS_ENDED);
      const rest = screen.text().slice(read);
      const [text = '', status = ''] = rest.slice(0, rest.indexOf(STATUS_ENDED)).split(ENDED);
      read += text.length + ENDED.length + status.length + STATUS_ENDED.length;
      return { text, status: Number(status) };
    },
  };
}
