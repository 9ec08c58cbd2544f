// How many tokens a text has, where the provider reports none. docs/billing.md has the rule in words, and how far it is from real vocabularies.

/** In hundredths of a token. Fitted to ten published vocabularies: `bench/peers/tokenizers/estimate.ts` measures them. */
const COST = {
  /** A word of the Latin alphabet, with up to 7 letters. */
  word: 100,
  /** Each further letter of it. */
  longWord: 30,
  /** A capital behind a small letter begins a new word. */
  camel: 120,
  /** A capital behind a capital. */
  capital: 10,
  number: 50,
  digit: 34,
  /** The first of signs in a row, the same one again, and another one. */
  sign: 93,
  sameSign: 30,
  otherSign: 10,
  /** The first line end in a row, and each further one. */
  line: 35,
  blankLine: 30,
  /** Blanks in a row: none for the first, the second, and each further one. */
  indent: 88,
  blank: 3,
} as const;

/** Letters of a word that cost nothing beyond its beginning. */
const SHORT_WORD = 7;

/** The cost of a range of Unicode: of each character, and of the first behind a character that is not a letter. */
interface Script {
  readonly last: number;
  readonly each: number;
  readonly first: number;
  readonly isLetter: boolean;
  readonly isLatin: boolean;
}

const signs = (last: number, each: number): Script => ({ last, each, first: 0, isLetter: false, isLatin: false });
const letters = (last: number, each: number, first = 0): Script => ({
  last,
  each,
  first,
  isLetter: first > 0,
  isLatin: false,
});
const latin = (last: number, each: number): Script => ({ last, each, first: COST.word, isLetter: true, isLatin: true });

/** By their last code points, in order. A character that no vocabulary has whole costs a token or more. */
const SCRIPTS: readonly Script[] = [
  signs(0xbf, 100),
  latin(0x17f, 206),
  latin(0x24f, 170),
  signs(0x2ff, 130),
  // Combining marks belong to the letter before them.
  { last: 0x36f, each: 67, first: 0, isLetter: true, isLatin: true },
  // Greek, Cyrillic.
  letters(0x3ff, 65, 60),
  letters(0x52f, 27, 50),
  letters(0x58f, 130),
  // Hebrew, Arabic.
  letters(0x5ff, 70, 50),
  letters(0x77f, 41, 50),
  letters(0x8ff, 130),
  // Devanagari, the others of India, Thai.
  letters(0x97f, 85, 20),
  letters(0xdff, 137),
  letters(0xe7f, 52),
  letters(0x10ff, 130),
  // Hangul.
  letters(0x11ff, 85),
  letters(0x1dff, 130),
  latin(0x1eff, 170),
  letters(0x1fff, 65, 60),
  signs(0x2bff, 100),
  signs(0x303f, 100),
  // Kana, Han, Hangul.
  letters(0x30ff, 76),
  letters(0x33ff, 100),
  letters(0x9fff, 83),
  letters(0xabff, 130),
  letters(0xd7af, 85),
  letters(0xf8ff, 130),
  letters(0xfaff, 83),
  letters(0xfeff, 41, 50),
  signs(0xffff, 100),
  letters(0x1efff, 130),
  // Emoji.
  signs(0x1ffff, 200),
  letters(0x3ffff, 83),
  letters(0x10ffff, 130),
];

// The class of a character, besides its cost.
const NONE = 0;
const SMALL = 1;
const CAPITAL = 2;
const DIGIT = 3;
const SIGN = 4;
const LINE = 5;
const BLANK = 6;
/** A letter of another alphabet, or one with an accent. */
const LETTER = 7;

/** By code point, of ASCII. */
const ASCII = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code === 0x0a || code === 0x0d) return LINE;
  if (code === 0x20 || code === 0x09) return BLANK;
  if (code >= 0x30 && code <= 0x39) return DIGIT;
  if (code >= 0x41 && code <= 0x5a) return CAPITAL;
  return code >= 0x61 && code <= 0x7a ? SMALL : SIGN;
});

/** Tokens of a text that comes in pieces. Wherever it is cut, also between the halves of a character, the sum is the same. */
export class TokenEstimate {
  #hundredths = 0;
  #kind = NONE;
  #code = -1;
  /** Letters of the word of the Latin alphabet so far, or blanks in a row. */
  #length = 0;
  /** The first half of a character beyond 16 bits. */
  #high = -1;

  /** The cost so far, in hundredths of a token. */
  get hundredths(): number {
    return this.#hundredths;
  }

  /** Whole tokens, rounded up. */
  get tokens(): number {
    return toTokens(this.#hundredths);
  }

  add(text: string): void {
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (unit < 0x80) this.#addAscii(unit);
      else if (unit >= 0xd800 && unit <= 0xdbff) this.#high = unit;
      else if (unit >= 0xdc00 && unit <= 0xdfff && this.#high !== -1) {
        this.#addOther(0x10000 + ((this.#high - 0xd800) << 10) + (unit - 0xdc00));
        this.#high = -1;
      } else this.#addOther(unit);
    }
  }

  #addAscii(code: number): void {
    const before = this.#kind;
    const kind = ASCII[code] ?? SIGN;
    const isSame = kind === before;
    if (kind === SMALL || kind === CAPITAL) this.#addLetter(kind, before);
    else if (kind === DIGIT) this.#hundredths += COST.digit + (isSame ? 0 : COST.number);
    else if (kind === LINE) this.#hundredths += isSame ? COST.blankLine : COST.line;
    else if (kind === BLANK) {
      this.#length = isSame ? this.#length + 1 : 1;
      if (this.#length > 1) this.#hundredths += this.#length === 2 ? COST.indent : COST.blank;
    } else if (isSame) this.#hundredths += code === this.#code ? COST.sameSign : COST.otherSign;
    else this.#hundredths += COST.sign;
    this.#kind = kind;
    this.#code = code;
  }

  #addLetter(kind: number, before: number): void {
    const isInWord = this.#isInWord();
    const isCamel = kind === CAPITAL && before === SMALL;
    this.#length = isInWord && !isCamel ? this.#length + 1 : 1;
    if (!isInWord) this.#hundredths += COST.word;
    else if (isCamel) this.#hundredths += COST.camel;
    else if (kind === CAPITAL && before === CAPITAL) this.#hundredths += COST.capital;
    if (this.#length > SHORT_WORD) this.#hundredths += COST.longWord;
  }

  #isInWord(): boolean {
    return this.#kind === SMALL || this.#kind === CAPITAL || this.#kind === LETTER;
  }

  #addOther(code: number): void {
    const script = scriptOf(code);
    const isInWord = this.#isInWord();
    this.#hundredths += script.each + (isInWord ? 0 : script.first);
    this.#length = script.isLatin && isInWord ? this.#length + 1 : 1;
    this.#kind = script.isLetter ? LETTER : NONE;
    this.#code = code;
  }
}

/** Tokens of a text, as `TokenEstimate` counts them. */
export function estimateTokens(text: string): number {
  const estimate = new TokenEstimate();
  estimate.add(text);
  return estimate.tokens;
}

/** Bytes of a token on average, where the text cannot be read. */
const BYTES_PER_TOKEN = 4;

/** Tokens of `bytes` bytes that cannot be read. */
export function estimateBytes(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/** Hundredths of a token as whole ones, rounded up. */
export function toTokens(hundredths: number): number {
  return Math.ceil(hundredths / 100);
}

/** The script of a code point beyond ASCII, by halves. */
function scriptOf(code: number): Script {
  let [low, high] = [0, SCRIPTS.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (code <= (SCRIPTS[middle]?.last ?? 0)) high = middle;
    else low = middle + 1;
  }
  return SCRIPTS[low] ?? signs(0x10ffff, 130);
}
