// The fewest tokens of a text in any vocabulary. docs/billing.md has the rule in words, and its reasons.

/**
 * Parts of a token, in 1,024ths, that a character is at the least: one over the most of its kind that a token of the
 * published vocabularies has, rounded up to a power of two. Longest runs in eleven vocabularies: 41 letters of ASCII
 * (`translatesAutoresizingMaskIntoConstraints`), 64 accented ones, 16 ideographs, 128 signs and 64 times the same
 * letter.
 */
const PART = { letter: 1_024 / 64, ideograph: 1_024 / 32, repeated: 1_024 / 128, sign: 1_024 / 128 } as const;
const WHOLE = 1_024;
/** The same character so often in a row is the beginning of a run. */
const RUN = 4;

const NONE = 0;
const BLANK = 1;
const SIGN = 2;
const LETTER = 3;
const IDEOGRAPH = 4;

/** By code unit, of ASCII. Control characters are none. */
const ASCII = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d) return BLANK;
  if (code < 0x20 || code === 0x7f) return NONE;
  const lower = code | 0x20;
  return (code >= 0x30 && code <= 0x39) || (lower >= 0x61 && lower <= 0x7a) ? LETTER : SIGN;
});

/**
 * A lower bound of the tokens of a text that arrives in pieces, wherever it is cut. No token of a published vocabulary
 * has letters or digits on both sides of a blank. So each word, a run without blanks that has a letter or a digit, is
 * at least a token. A long word counts one for every 64 letters or 32 ideographs. Other runs count next to nothing:
 * long runs of blanks, or of one sign, are single tokens.
 */
export class LeastTokens {
  /** Of the words that are over. */
  #tokens = 0;
  /** Of the word that is read, in 1,024ths. */
  #parts = 0;
  #hasLetter = false;
  #code = -1;
  #run = 0;

  /** Tokens at the least so far: a whole number that never falls. */
  get tokens(): number {
    return this.#tokens + this.#ofWord();
  }

  add(text: string): void {
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      const kind = code < 0x80 ? (ASCII[code] ?? NONE) : kindOf(code);
      if (kind === BLANK) this.#endWord();
      else if (kind !== NONE) this.#addToWord(code, kind);
    }
  }

  #addToWord(code: number, kind: number): void {
    this.#run = code === this.#code ? this.#run + 1 : 1;
    this.#code = code;
    if (kind !== SIGN) this.#hasLetter = true;
    if (kind === SIGN) this.#parts += PART.sign;
    else if (this.#run > RUN) this.#parts += PART.repeated;
    else this.#parts += kind === IDEOGRAPH ? PART.ideograph : PART.letter;
  }

  #endWord(): void {
    this.#tokens += this.#ofWord();
    this.#parts = 0;
    this.#hasLetter = false;
    this.#code = -1;
  }

  #ofWord(): number {
    const whole = Math.floor(this.#parts / WHOLE);
    return this.#hasLetter ? Math.max(1, whole) : whole;
  }
}

/** The kind of a code unit beyond ASCII. In doubt it is a sign, which counts least. */
function kindOf(code: number): number {
  // Han, kana, Hangul: without their punctuation.
  if ((code >= 0x3041 && code <= 0x30ff) || (code >= 0x3400 && code <= 0x9fff)) return IDEOGRAPH;
  if (code >= 0xac00 && code <= 0xd7a3) return IDEOGRAPH;
  // Alphabets from Latin to Thai. Their marks are signs in part, and never more than letters.
  return code >= 0xc0 && code <= 0x1fff && code !== 0xd7 && code !== 0xf7 ? LETTER : SIGN;
}
