import { createInterface } from 'node:readline';
import type { Terminal } from '../terminal.js';

const PASTE_ON = '\x1b[?2004h';
const PASTE_OFF = '\x1b[?2004l';

/** What a person typed next: a line (several when pasted), or that they want to leave. */
export type Typed = { type: 'line'; text: string } | { type: 'interrupt' } | { type: 'end' };

/** Lines from a terminal, one at a time, with editing and history. */
export interface LineReader {
  /** The next line; what was typed ahead is taken first. */
  next(prompt: string): Promise<Typed>;
  close(): void;
}

/**
 * Reads lines in raw mode only while one is asked for: during an answer the terminal makes a signal of Ctrl-C again.
 * Pasted text arrives as one line with its line breaks (bracketed paste, mode 2004 of xterm).
 */
export function openLineReader(terminal: Terminal, historyNewestFirst: readonly string[]): LineReader {
  const { stdin, stdout } = terminal;
  const lines = createInterface({
    input: stdin,
    output: stdout,
    terminal: true,
    history: [...historyNewestFirst],
    historySize: 1000,
    removeHistoryDuplicates: true,
  });
  const typed: Typed[] = [];
  let waiting: ((next: Typed) => void) | undefined;
  let [pasting, pasted, ended] = [false, '', false];
  const deliver = (next: Typed): void => {
    if (waiting === undefined) typed.push(next);
    else waiting(next);
    waiting = undefined;
  };
  stdin.on('keypress', (_text: string | undefined, key: { name?: string } | undefined) => {
    if (key?.name === 'paste-start') pasting = true;
    if (key?.name === 'paste-end') pasting = false;
  });
  lines.on('line', (line) => {
    if (pasting) {
      pasted += `${line}\n`;
      return;
    }
    deliver({ type: 'line', text: pasted + line });
    pasted = '';
  });
  lines.on('SIGINT', () => {
    const discarded = lines.line !== '' || pasted !== '';
    pasted = '';
    if (!discarded) deliver({ type: 'interrupt' });
    else {
      stdout.write('^C\n');
      // Ctrl-E, Ctrl-U: the line is thrown away as a shell does it.
      lines.write(null, { ctrl: true, name: 'e' });
      lines.write(null, { ctrl: true, name: 'u' });
      lines.prompt();
    }
  });
  lines.on('close', () => {
    ended = true;
    deliver({ type: 'end' });
  });
  stdout.write(PASTE_ON);
  lines.pause();
  stdin.setRawMode(false);
  return {
    async next(prompt) {
      const ahead = typed.shift();
      if (ahead !== undefined) return ahead;
      if (ended) return { type: 'end' };
      const answer = new Promise<Typed>((resolve) => {
        waiting = resolve;
      });
      lines.setPrompt(prompt);
      stdin.setRawMode(true);
      lines.resume();
      lines.prompt(true);
      const next = await answer;
      if (!ended) {
        lines.pause();
        stdin.setRawMode(false);
      }
      return next;
    },
    close() {
      stdout.write(PASTE_OFF);
      lines.close();
    },
  };
}
