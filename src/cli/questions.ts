import { createInterface } from 'node:readline';
import { waitFor } from '../base/index.js';
import { dialogueStream, type Terminal } from './terminal.js';

/** Questions to a person, one after the other. */
export interface Questions extends Disposable {
  /** The typed line, trimmed; '' at the end of input. Errors: the reason of the signal. */
  ask(question: string, signal: AbortSignal): Promise<string>;
}

/** Whether a person can be asked: input and question stream are terminals. */
export function canAsk(terminal: Terminal): boolean {
  return terminal.stdin.isTTY && dialogueStream(terminal).isTTY;
}

/** Asks on the terminal, which edits the line itself. Lines typed ahead answer later questions. */
export function openQuestions(terminal: Terminal): Questions {
  const lines = createInterface({ input: terminal.stdin, terminal: false });
  const typed: string[] = [];
  let [wake, hasEnded] = [(): void => {}, false];
  lines.on('line', (line) => {
    typed.push(line);
    wake();
  });
  lines.on('close', () => {
    hasEnded = true;
    wake();
  });
  return {
    async ask(question, signal) {
      dialogueStream(terminal).write(question);
      const more = new Promise<void>((resolve) => (wake = resolve));
      if (typed.length === 0 && !hasEnded) await waitFor(more, 'the user', { signal });
      const line = typed.shift();
      if (line === undefined) dialogueStream(terminal).write('\n');
      return line?.trim() ?? '';
    },
    [Symbol.dispose]: () => lines.close(),
  };
}
