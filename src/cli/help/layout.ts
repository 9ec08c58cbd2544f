// Text in columns. One column per character: help is ASCII, which a test checks.

import { assert } from '../../base/index.js';

/** Width when a terminal reports none, or 0, as a pseudo-terminal without a size does. */
const UNKNOWN_WIDTH = 80;
/** Maximum of columns: longer lines are hard to read, however wide the window is. */
const MAX_WIDTH = 100;
/** Below this no layout helps; the terminal breaks the lines. */
const MIN_WIDTH = 20;

/** Columns for help: COLUMNS, else the terminal's, else 80; at most 100, since longer lines are hard to read. */
export function helpWidth(stdout: { readonly columns?: number }, columns: string | undefined): number {
  const asked = /^[1-9]\d{0,5}$/.test(columns ?? '') ? Number(columns) : (stdout.columns ?? 0);
  return Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, asked > 0 ? asked : UNKNOWN_WIDTH));
}

/** `text` in lines of at most `width` characters, broken at spaces, and inside a word only where it is longer than a line. */
export function wrap(text: string, width: number): string[] {
  assert(width > 0, 'a line has room for a character');
  const lines: string[] = [];
  let line = '';
  for (let word of text.split(/\s+/).filter((found) => found !== '')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = '';
    }
    for (; word.length > width; word = word.slice(width)) lines.push(word.slice(0, width));
    line = line === '' ? word : `${line} ${word}`;
  }
  return line === '' ? lines : [...lines, line];
}

/**
 * `text` for a screen: lines wider than its window are broken at spaces. A word longer than a line stays whole, so that
 * it can be copied. For a file or a pipe it is unchanged.
 */
export function fitScreen(stream: { readonly isTTY?: boolean; readonly columns?: number }, text: string): string {
  const columns = stream.isTTY === true ? (stream.columns ?? 0) : 0;
  if (columns < MIN_WIDTH) return text;
  const fit = (line: string): string => {
    if (line.length <= columns) return line;
    const [first = '', ...words] = line.split(' ');
    let width = first.length;
    return words.reduce((done, word) => {
      const isOver = width + 1 + word.length > columns;
      width = isOver ? word.length : width + 1 + word.length;
      return `${done}${isOver ? '\n' : ' '}${word}`;
    }, first);
  };
  return text.split('\n').map(fit).join('\n');
}

/** The same with `indent` spaces before each line. */
export function wrapIndented(text: string, width: number, indent: number): string[] {
  return wrap(text, width - indent).map((line) => ' '.repeat(indent) + line);
}

/** A term and its description. */
export interface Row {
  readonly term: string;
  readonly text: string;
}

const ROW_INDENT = 2;
const GAP = 2;
/** A longer term has a line of its own. */
const MAX_TERM = 26;
/** With less room beside the terms, the texts go below them. */
const MIN_TEXT = 30;

/**
 * Rows as two columns, the second beside the first or, in a narrow window, below it. `all`: the rows of several
 * headings that share the column widths.
 */
export function layOutRows(rows: readonly Row[], width: number, all: readonly Row[] = rows): string[] {
  const terms = all.map(({ term }) => term.length).filter((length) => length <= MAX_TERM);
  const column = ROW_INDENT + Math.max(0, ...terms) + GAP;
  if (width - column < MIN_TEXT) {
    return rows.flatMap(({ term, text }) => [
      ...wrapIndented(term, width, ROW_INDENT),
      ...wrapIndented(text, width, ROW_INDENT + 4),
    ]);
  }
  return rows.flatMap(({ term, text }) => {
    const texts = wrapIndented(text, width, column);
    const head = ' '.repeat(ROW_INDENT) + term;
    if (head.length + GAP > column) return [...wrapIndented(term, width, ROW_INDENT), ...texts];
    const [first = '', ...others] = texts;
    return [(head.padEnd(column) + first.slice(column)).trimEnd(), ...others];
  });
}

/**
 * A command line for a shell in lines of at most `width` characters: broken between arguments, with a backslash, for
 * pasting. An argument longer than a line stays whole.
 */
export function wrapShell(command: string, width: number, indent: number): string[] {
  const words = command.match(/(?:"[^"]*"|'[^']*'|\S)+/g) ?? [];
  const lines: string[] = [];
  let line = ' '.repeat(indent);
  for (const [i, word] of words.entries()) {
    const isFirst = line.trim() === '';
    const room = i === words.length - 1 ? 0 : 2;
    if (!isFirst && line.length + 1 + word.length + room > width) {
      lines.push(`${line} \\`);
      line = ' '.repeat(indent + 2) + word;
    } else line += isFirst ? word : ` ${word}`;
  }
  return [...lines, line];
}
