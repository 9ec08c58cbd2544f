import { createInterface } from 'node:readline';
import { toErrorData, waitFor } from '../../../base/index.js';
import { type Interrupts, dialogueStream, type Terminal } from '../../../cli/index.js';
import type { LineReader, Typed } from './reader.js';

/** Lines as the terminal itself edits them: for one that is dumb, and for none that we may write escape sequences to. */
export function openPlainReader(terminal: Terminal, interrupts: Interrupts): LineReader {
  const stream = dialogueStream(terminal);
  const lines = createInterface({ input: terminal.stdin, terminal: false });
  const typed: Typed[] = [];
  let [wake, ended] = [(): void => undefined, false];
  const take = (next: Typed): void => {
    typed.push(next);
    wake();
  };
  lines.on('line', (text) => take({ type: 'line', text }));
  lines.on('close', () => {
    ended = true;
    wake();
  });
  const hasMore = (): Promise<void> => {
    const more = new Promise<void>((resolve) => {
      wake = resolve;
    });
    return typed.length > 0 || ended ? Promise.resolve() : more;
  };
  return {
    async next(prompt) {
      if (stream.isTTY) stream.write(prompt);
      try {
        // Ctrl-C is a signal here, which throws away what the terminal has of the line.
        await interrupts.during((signal) => waitFor(hasMore(), 'the user', { signal }));
      } catch (error) {
        if (toErrorData(error).code === 'interrupted') return { type: 'interrupt' };
        throw error;
      }
      const next = typed.shift();
      if (next === undefined && stream.isTTY) stream.write('\n');
      return next ?? { type: 'end' };
    },
    during: (work) => work(),
    close: () => lines.close(),
  };
}
