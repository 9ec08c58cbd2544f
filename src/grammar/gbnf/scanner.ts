import { AppError } from '../../base/index.js';

/** The text of a grammar, read character by character. */
export class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The present position, in UTF-16 units. */
  get at(): number {
    return this.#at;
  }

  /** The next code point as text; '' at the end. */
  get next(): string {
    const code = this.#text.codePointAt(this.#at);
    return code === undefined ? '' : String.fromCodePoint(code);
  }

  /** Skips `literal` if it comes next. */
  skip(literal: string): boolean {
    const isThere = this.#text.startsWith(literal, this.#at);
    if (isThere) this.#at += literal.length;
    return isThere;
  }

  /** Takes the next code point. */
  take(): string {
    const { next } = this;
    this.#at += next.length;
    return next;
  }

  /** Takes the text that a sticky expression matches here; '' without a match. */
  match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }

  /** Skips blanks and comments, and line breaks where they mean nothing. */
  space(overLines: boolean): void {
    this.match(overLines ? /(?:[ \t\r\n]|#[^\r\n]*)*/y : /(?:[ \t]|#[^\r\n]*)*/y);
  }

  /** Skips space over lines if an alternative comes there: a rule cannot begin with `|`. */
  skipToAlternative(): boolean {
    const before = this.#at;
    this.space(true);
    if (this.skip('|')) return true;
    this.#at = before;
    return false;
  }

  /** The error for the text at `at`. It quotes nothing of the text. */
  error(problem: string, at = this.#at): AppError {
    const before = this.#text.slice(0, at).split(/\r\n|\r|\n/);
    const line = before.length;
    const column = [...(before.at(-1) ?? '')].length + 1;
    return new AppError('invalid_grammar', `the grammar, line ${line}, column ${column}: ${problem}`, { line, column });
  }
}
