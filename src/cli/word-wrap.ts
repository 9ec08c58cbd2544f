import { columnsOfCharacter, columnsOfText } from './text-columns.js';

/** Narrower windows are left to the terminal: hardly a word would fit. */
const MIN_COLUMNS = 20;
/** Lines that begin so are code and tables of Markdown, whose lines mean something: the terminal breaks them. */
const FENCES = ['```', '~~~'];
const TABLE = '|';
/** Characters of a line of code by which the fence is known that ends it. */
const HEAD_LENGTH = 16;

/** A text that is put out as it comes. */
export interface TextFlow {
  /** What can be shown now; the word that is not yet whole is kept. */
  push(text: string): string;
  /** What was kept. */
  end(): string;
}

/** The text as it is, for what is no screen. */
export const plainFlow: TextFlow = { push: (text) => text, end: () => '' };

/**
 * Breaks lines between words at the width of a window, while a text comes in pieces. A word is shown when it is whole; one
 * that is wider than the window is broken by the terminal. Between characters of two columns, which need no spaces, a line
 * may end too. `columns`: of the window, which may change; it starts at the beginning of a line.
 */
export class WordWrap implements TextFlow {
  readonly #columns: () => number;
  /** Where the next character goes. */
  #column = 0;
  /** Between the last word and the one that is coming. */
  #spaces = '';
  #word = '';
  #wordColumns = 0;
  /** No word of this line is whole yet. */
  #isFirst = true;
  /** This line is shown as it comes. */
  #isVerbatim = false;
  /** The fence that ends the code; undefined outside of code. */
  #fence: string | undefined;
  /** The first characters of a line of code. */
  #head = '';
  /** The word is wider than the window: it is shown as it comes. */
  #isEndless = false;

  constructor(columns: () => number) {
    this.#columns = columns;
  }

  push(text: string): string {
    let shown = '';
    for (const character of text) shown += this.#take(character);
    return shown;
  }

  end(): string {
    return this.#endWord();
  }

  #take(character: string): string {
    if (character === '\n') return this.#endLine();
    if (this.#isVerbatim) {
      if (this.#head.length < HEAD_LENGTH) this.#head += character;
      return character;
    }
    if (character === ' ' || character === '\t') {
      const shown = this.#endWord();
      this.#isEndless = false;
      if (this.#isVerbatim) return shown + character;
      this.#spaces += character;
      return shown;
    }
    const columns = columnsOfCharacter(character);
    if (this.#isEndless) {
      this.#column = (this.#column + columns) % this.#columns();
      return character;
    }
    const before = columns === 2 ? this.#endWord() : '';
    this.#word += character;
    this.#wordColumns += columns;
    if (columns === 2) return before + this.#endWord();
    if (this.#wordColumns < this.#columns()) return before;
    this.#isEndless = true;
    return before + this.#endWord();
  }

  #endLine(): string {
    const shown = this.#endWord();
    if (this.#fence !== undefined && isFence(this.#head.trim(), this.#fence)) this.#fence = undefined;
    this.#column = 0;
    this.#spaces = '';
    this.#head = '';
    this.#isFirst = true;
    this.#isEndless = false;
    this.#isVerbatim = this.#fence !== undefined;
    return `${shown}\n`;
  }

  #endWord(): string {
    const word = this.#word;
    if (word === '') return '';
    const [wide, total] = [this.#wordColumns, this.#columns()];
    this.#word = '';
    this.#wordColumns = 0;
    if (this.#isFirst) this.#readFirst(word);
    const spaces = this.#spaces;
    this.#spaces = '';
    const begin = this.#column + columnsOfText(spaces);
    const isBroken = total >= MIN_COLUMNS && !this.#isVerbatim && this.#column > 0 && begin + wide > total;
    this.#column = isBroken ? wide : begin + wide;
    return isBroken ? `\n${word}` : spaces + word;
  }

  /** Code and tables are known by the first word of a line. */
  #readFirst(word: string): void {
    this.#isFirst = false;
    const fence = FENCES.find((each) => word.startsWith(each));
    if (fence !== undefined) this.#fence = fence;
    this.#isVerbatim = fence !== undefined || word.startsWith(TABLE);
  }
}

/** Whether a line is the fence alone, or a longer one of its kind. */
function isFence(line: string, fence: string): boolean {
  return line.startsWith(fence) && line.replaceAll(fence.charAt(0), '') === '';
}
