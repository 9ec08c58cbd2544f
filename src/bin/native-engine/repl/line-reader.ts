import { type Interrupts, understandsEscapes, type Terminal } from '../../../cli/index.js';
import { openEditor } from './editor.js';
import { openPlainReader } from './plain-reader.js';
import type { LineReader } from './reader.js';

/**
 * A line editor on the first of standard output and standard error that is a screen: the user can type while the
 * conversation goes into a file. Where neither is, the terminal edits the lines itself and only text is written.
 */
export function openLineReader(
  terminal: Terminal,
  interrupts: Interrupts,
  complete: (line: string) => readonly string[],
): LineReader {
  const { stdin, stdout, stderr } = terminal;
  const screen = [stdout, stderr].find((stream) => understandsEscapes(terminal, stream));
  return screen === undefined ? openPlainReader(terminal, interrupts) : openEditor({ stdin, screen, complete });
}
