// Custom tools of the responses API as functions: models are trained to call functions, whose arguments are JSON. A
// custom tool takes free text. So it becomes a function with one text argument, and its calls become text again.

/** The argument with the text. */
const ARGUMENT = 'input';
/** Characters before the text begins, `{"input": "`, with some white space. */
const MAX_HEAD = 256;
const HEAD = new RegExp(`^\\s*\\{\\s*"${ARGUMENT}"\\s*:\\s*"`);
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SMALL_U = 0x75;
/** Units of an escape such as `\u0041`. */
const UNIT_ESCAPE = 6;

/** A custom tool in the form of a request body. */
export interface CustomToolField {
  readonly name: string;
  readonly description?: string | undefined;
  /**
   * A grammar for its text, as the body wrote it. The answer is not constrained by it; the description shows it to the
   * model.
   */
  readonly grammar?: string | undefined;
}

/** The description and the parameters of the function that replaces a custom tool. */
export function toCustomFunction({ description = '', grammar }: CustomToolField): {
  readonly description: string;
  readonly parameters: Record<string, unknown>;
} {
  const rule = grammar === undefined ? [] : [`The text of "${ARGUMENT}" follows this grammar:\n${grammar}`];
  return {
    description: [description, ...rule].filter((text) => text !== '').join('\n\n'),
    parameters: {
      type: 'object',
      properties: { [ARGUMENT]: { type: 'string', description: 'The whole input of the tool, as plain text.' } },
      required: [ARGUMENT],
      additionalProperties: false,
    },
  };
}

/** The arguments of a call whose text a conversation sends back. */
export function toCustomArguments(text: string): string {
  return JSON.stringify({ [ARGUMENT]: text });
}

/** The text of a custom tool's call; arguments of another form unchanged. */
export function readCustomText(argumentsText: string): string {
  const text = new CustomText();
  return text.add(argumentsText) + text.finish();
}

/** Reads the text of a custom call out of its arguments, which come in pieces cut anywhere. */
export class CustomText {
  #written = '';
  /** Position of the next unit of the text; -1: its beginning was not found yet. */
  #at = -1;
  #isOver = false;
  #text = '';

  /** All of the text so far. */
  get text(): string {
    return this.#text;
  }

  /** Takes more of the arguments; returns the new text. */
  add(piece: string): string {
    if (this.#isOver) return '';
    const isLost = this.#at === -1 && this.#written.length > MAX_HEAD;
    this.#written += piece;
    if (isLost) return '';
    this.#at = this.#at === -1 ? (HEAD.exec(this.#written)?.[0].length ?? -1) : this.#at;
    return this.#at === -1 ? '' : this.#take(this.#endOfWhole());
  }

  /** The arguments are complete: returns the text held back. Arguments of another form are the text, unchanged. */
  finish(): string {
    if (this.#isOver) return '';
    this.#isOver = true;
    if (this.#at !== -1) return this.#append(readEscapes(this.#written.slice(this.#at)));
    return this.#append(readOther(this.#written));
  }

  #take(end: number): string {
    const written = this.#written.slice(this.#at, end);
    this.#at = end;
    return this.#append(readEscapes(written));
  }

  #append(text: string): string {
    this.#text += text;
    return text;
  }

  /** End of the readable part: before an incomplete escape or surrogate pair, or at the closing quote. */
  #endOfWhole(): number {
    const { length } = this.#written;
    for (let i = this.#at; i < length; i++) {
      const unit = this.#written.charCodeAt(i);
      if (unit === QUOTE) {
        this.#isOver = true;
        return i;
      }
      if (unit === BACKSLASH) {
        const width = this.#escapeWidth(i);
        if (i + width > length) return i;
        i += width - 1;
      } else if (isHighSurrogate(unit) && i + 1 === length) return i;
    }
    return length;
  }

  /** Units needed to read the escape at `at`: two escapes where the first may be half of a pair. */
  #escapeWidth(at: number): number {
    if (at + 1 >= this.#written.length) return 2;
    if (this.#written.charCodeAt(at + 1) !== SMALL_U) return 2;
    const unit = Number.parseInt(this.#written.slice(at + 2, at + UNIT_ESCAPE), 16);
    if (at + UNIT_ESCAPE > this.#written.length || !isHighSurrogate(unit)) return UNIT_ESCAPE;
    const next = this.#written.slice(at + UNIT_ESCAPE, at + UNIT_ESCAPE + 2);
    return '\\u'.startsWith(next) ? 2 * UNIT_ESCAPE : UNIT_ESCAPE;
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

/** Reads the inside of a JSON string. Models write raw line breaks, which JSON forbids; an unreadable part stays as written. */
function readEscapes(written: string): string {
  if (!/[\\\p{Cc}]/u.test(written)) return written;
  try {
    return String(JSON.parse(`"${written.replaceAll(/\p{Cc}/gu, toEscape)}"`));
  } catch {
    return written;
  }
}

function toEscape(control: string): string {
  return `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function readOther(written: string): string {
  try {
    const value: unknown = JSON.parse(written);
    if (typeof value === 'string') return value;
    const text: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, ARGUMENT) : undefined;
    return typeof text === 'string' ? text : written;
  } catch {
    return written;
  }
}
