/** In narrower windows the terminal breaks lines: hardly a word would fit. */
const MIN_COLUMNS = 20;
/** Beginnings of code and tables in Markdown, whose line breaks matter: only the terminal breaks these lines. */
const FENCES = ['```', '~~~'];
const TABLE = '|';
/** Characters of a line of code that decide whether it is the closing fence. */
const HEAD_LENGTH = 16;

/** A text that is printed in pieces. */
export interface TextFlow {
  /** The text to show now; an incomplete word is kept. */
  push(text: string): string;
  /** The kept text. */
  end(): string;
}

/** The text unchanged, for output that is no screen. */
export const plainFlow: TextFlow = { push: (text) => text, end: () => '' };

/**
 * Breaks lines between words at the width of a window, for a text in pieces. A word is shown when it is whole; the
 * terminal breaks one that is wider than the window. A line may also end between characters of two columns, which need
 * no spaces. `columns`: of the window, which may change; the text starts at the beginning of a line.
 */
export class WordWrap implements TextFlow {
  readonly #columns: () => number;
  /** Column of the next character. */
  #column = 0;
  /** Spaces between the last word and the next. */
  #spaces = '';
  #word = '';
  #wordColumns = 0;
  /** No word of this line is whole yet. */
  #isFirst = true;
  /** This line is printed unbroken. */
  #isVerbatim = false;
  /** The fence that ends the code; undefined outside of code. */
  #fence: string | undefined;
  /** The first characters of a line of code. */
  #head = '';
  /** The word is wider than the window: it is printed in pieces. */
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

  /** The first word of a line shows whether it is code or a table. */
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

/**
 * Characters of two columns: those of East Asian scripts, full-width forms and emoji. Source: Unicode UAX 11;
 * JavaScript's expressions know the scripts but not the widths.
 */
const WIDE =
  /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u;
/** Characters of no column: marks on the character before, joiners and directions. */
const WIDTHLESS = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]/u;

/** Columns of a screen that one character takes: 0, 1 or 2. */
function columnsOfCharacter(character: string): 0 | 1 | 2 {
  if (character < '\u0300') return 1;
  if (WIDTHLESS.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** Columns that a text of one line takes. */
export function columnsOfText(text: string): number {
  let columns = 0;
  for (const character of text) columns += columnsOfCharacter(character);
  return columns;
}
