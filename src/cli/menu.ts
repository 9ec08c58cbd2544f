import { openQuestions } from './questions.js';
import { dialogueStream, dim, type Terminal } from './terminal.js';
import type { Interrupts } from './interrupts.js';

/** A choice of a product's menu for newcomers. */
export interface MenuItem {
  readonly title: string;
  /** Words of the command line, after the name of the binary. */
  readonly words: readonly string[];
  /** Question for the last word: `Repository (org/name)`. */
  readonly asks?: string;
}

/**
 * Shows a product's menu and asks for a choice. Returns the words of a command line; undefined without a choice.
 * Errors: `interrupted`.
 */
export async function chooseFromMenu(
  { binary, label, version, summary }: Readonly<Record<'binary' | 'label' | 'version' | 'summary', string>>,
  items: readonly MenuItem[],
  terminal: Terminal,
  interrupts: Interrupts,
): Promise<readonly string[] | undefined> {
  const screen = dialogueStream(terminal);
  const column = Math.max(...items.map(({ title }) => title.length));
  const lines = items.map(({ title, words, asks }, i) => {
    const line = [binary, ...words, ...(asks === undefined ? [] : ['...'])].join(' ');
    return `  ${i + 1}  ${title.padEnd(column)}  ${dim(terminal, screen, line)}\n`;
  });
  screen.write(`${label} ${version}: ${summary}.\n\n${lines.join('')}\n  All commands: ${binary} --help\n\n`);
  return interrupts.during(async (signal) => {
    using questions = openQuestions(terminal);
    for (;;) {
      const answer = await questions.ask(`Choose 1-${items.length}, or press Enter to leave: `, signal);
      if (answer === '' || /^q(?:uit)?$/i.test(answer)) return undefined;
      const item = /^\d$/.test(answer) ? items[Number(answer) - 1] : undefined;
      if (item === undefined) {
        screen.write(`There is no ${JSON.stringify(answer.slice(0, 40))}.\n`);
        continue;
      }
      if (item.asks === undefined) return item.words;
      const value = await questions.ask(`${item.asks}: `, signal);
      if (value !== '') return [...item.words, value];
    }
  });
}
