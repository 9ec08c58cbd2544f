import { MAX_ARGUMENT_DEPTH } from '../limits.js';

type State =
  | 'value'
  | 'firstKey'
  | 'key'
  | 'colon'
  | 'firstItem'
  | 'afterValue'
  | 'string'
  | 'escape'
  | 'hex'
  | 'literal'
  | 'minus'
  | 'zero'
  | 'integer'
  | 'dot'
  | 'fraction'
  | 'exponent'
  | 'exponentSign'
  | 'exponentDigits'
  | 'done';

/** Number states in which a character that does not belong to the number may end it. */
const NUMBER_ENDS: ReadonlySet<State> = new Set(['zero', 'integer', 'fraction', 'exponentDigits']);

/**
 * Reads one JSON value character by character, detects at once where it stops being JSON (RFC 8259), and writes it out.
 * It repairs only the usual mistakes of models inside strings. It escapes a raw control character. `\'` becomes an
 * apostrophe. The backslash of any other escape that JSON lacks (`\d`, `\U`, a `\u` without four digits) stands for
 * itself.
 */
export class JsonMachine {
  #state: State = 'value';
  /** Open containers, innermost last: true for an object. */
  readonly #open: boolean[] = [];
  #stringIsKey = false;
  #literal = '';
  /** A `\u` and the digits after it, until there are four. */
  #escaped = '';

  get depth(): number {
    return this.#open.length;
  }

  get inString(): boolean {
    return this.#state === 'string' || this.#state === 'escape' || this.#state === 'hex';
  }

  /** Whether the string being read, or the one just read, is the key of an object. */
  get isKey(): boolean {
    return this.#stringIsKey;
  }

  get expectsValue(): boolean {
    return this.#state === 'value' || this.#state === 'firstItem';
  }

  get betweenValues(): boolean {
    return this.#state === 'afterValue' || this.#state === 'done';
  }

  get done(): boolean {
    return this.#state === 'done';
  }

  /**
   * Takes one UTF-16 unit and returns the text to write for it: '' while an escape is open. Undefined when the unit
   * cannot be part of the value: then another unit may be tried instead. The text written for a whole value is JSON.
   */
  push(character: string): string | undefined {
    switch (this.#state) {
      case 'string':
        return this.#inString(character);
      case 'escape':
        return this.#escape(character);
      case 'hex':
        return this.#hex(character);
      default:
        return this.#outside(character) ? character : undefined;
    }
  }

  /** A character outside of strings, or a quote that opens one. */
  #outside(character: string): boolean {
    if (NUMBER_ENDS.has(this.#state) && ',]} \n\r\t'.includes(character)) this.#valueEnds();
    switch (this.#state) {
      case 'value':
        return isSpace(character) || this.#startValue(character);
      case 'firstItem':
        if (character === ']') return this.#close(false);
        return isSpace(character) || this.#startValue(character);
      case 'firstKey':
        if (character === '}') return this.#close(true);
        return isSpace(character) || this.#startKey(character);
      case 'key':
        return isSpace(character) || this.#startKey(character);
      case 'colon':
        if (character === ':') this.#state = 'value';
        return character === ':' || isSpace(character);
      case 'afterValue':
        return isSpace(character) || this.#afterValue(character);
      case 'literal':
        return this.#inLiteral(character);
      case 'done':
        return isSpace(character);
      default:
        return this.#inNumber(character);
    }
  }

  #inString(character: string): string {
    if (character === '\\') {
      this.#state = 'escape';
      return '';
    }
    if (character === '"') {
      if (this.#stringIsKey) this.#state = 'colon';
      else this.#valueEnds();
    }
    return character < ' ' ? JSON.stringify(character).slice(1, -1) : character;
  }

  #escape(character: string): string {
    this.#state = character === 'u' ? 'hex' : 'string';
    if (character === 'u') {
      this.#escaped = '\\u';
      return '';
    }
    if (character === "'") return character;
    return '"\\/bfnrt'.includes(character) ? `\\${character}` : `\\\\${this.#inString(character)}`;
  }

  #hex(character: string): string {
    if (/^[0-9a-fA-F]$/.test(character)) {
      this.#escaped += character;
      if (this.#escaped.length < '\\u0000'.length) return '';
      this.#state = 'string';
      return this.#escaped;
    }
    this.#state = 'string';
    return `\\${this.#escaped}${this.#inString(character)}`;
  }

  #startKey(character: string): boolean {
    if (character !== '"') return false;
    this.#stringIsKey = true;
    this.#state = 'string';
    return true;
  }

  #startValue(character: string): boolean {
    this.#stringIsKey = false;
    if (character === '"') this.#state = 'string';
    else if (character === '{' || character === '[') {
      if (this.#open.length === MAX_ARGUMENT_DEPTH) return false;
      this.#open.push(character === '{');
      this.#state = character === '{' ? 'firstKey' : 'firstItem';
    } else if (character === '-') this.#state = 'minus';
    else if (character === '0') this.#state = 'zero';
    else if (isDigit(character)) this.#state = 'integer';
    else {
      const literal = ['true', 'false', 'null'].find((word) => word.startsWith(character));
      if (literal === undefined) return false;
      this.#literal = literal.slice(1);
      this.#state = 'literal';
    }
    return true;
  }

  #inLiteral(character: string): boolean {
    if (!this.#literal.startsWith(character)) return false;
    this.#literal = this.#literal.slice(1);
    if (this.#literal === '') this.#valueEnds();
    return true;
  }

  #inNumber(character: string): boolean {
    const next = numberState(this.#state, character);
    if (next === undefined) return false;
    this.#state = next;
    return true;
  }

  #afterValue(character: string): boolean {
    const inObject = this.#open.at(-1) === true;
    if (character === ',') {
      this.#state = inObject ? 'key' : 'value';
      return true;
    }
    return (character === '}' || character === ']') && this.#close(character === '}');
  }

  #close(object: boolean): boolean {
    if (this.#open.at(-1) !== object) return false;
    this.#open.pop();
    this.#valueEnds();
    return true;
  }

  #valueEnds(): void {
    this.#state = this.#open.length === 0 ? 'done' : 'afterValue';
  }
}

/** The state of a number after one more character (RFC 8259, section 6); undefined where it cannot go on. */
function numberState(state: State, character: string): State | undefined {
  if (isDigit(character)) {
    if (state === 'minus') return character === '0' ? 'zero' : 'integer';
    if (state === 'integer') return 'integer';
    if (state === 'dot' || state === 'fraction') return 'fraction';
    return state === 'zero' ? undefined : 'exponentDigits';
  }
  if (character === '.') return state === 'zero' || state === 'integer' ? 'dot' : undefined;
  if (character === 'e' || character === 'E')
    return NUMBER_ENDS.has(state) && state !== 'exponentDigits' ? 'exponent' : undefined;
  if (character === '+' || character === '-') return state === 'exponent' ? 'exponentSign' : undefined;
  return undefined;
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9';
}

function isSpace(character: string): boolean {
  return character === ' ' || character === '\n' || character === '\r' || character === '\t';
}
