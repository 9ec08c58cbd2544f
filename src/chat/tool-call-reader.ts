import { JsonMachine } from './json-machine.js';

/** What one call of `ToolCallReader.push` found: text of the arguments, and the name when it became known. */
export interface CallPiece {
  readonly name?: string;
  readonly argumentsText: string;
}

type Member = 'name' | 'arguments' | 'other';

/**
 * Reads `{"name": …, "arguments": {…}}` as it is written and hands the name out as soon as it is whole, then the text
 * of the arguments as it comes, spacing as written, raw control characters in strings escaped. Also takes `parameters`
 * for `arguments`, any order of the two, arguments that are null or missing (`{}`), and arguments that are JSON in a string.
 */
export class ToolCallReader {
  readonly #json = new JsonMachine();
  #member: Member = 'other';
  /** The string or the arguments being collected, raw. */
  #collected = '';
  #collecting: 'nothing' | 'key' | 'name' | 'object' | 'string' | 'null' = 'nothing';
  #name: string | undefined;
  #nameIsOut = false;
  #argumentsAreWhole = false;
  #closed = false;
  #ready = '';
  #unsent = '';

  /** The name has been handed out: what was read cannot become content any more. */
  get nameIsOut(): boolean {
    return this.#nameIsOut;
  }

  /** The name and whole arguments have been handed out. */
  get complete(): boolean {
    return this.#nameIsOut && this.#argumentsAreWhole;
  }

  /** The object is closed, and is a call. */
  get done(): boolean {
    return this.#closed;
  }

  get inString(): boolean {
    return this.#json.inString;
  }

  /** Text that was read and is in no piece: all of it until the name is known, then arguments that may not be JSON. */
  get unsent(): string {
    return this.#unsent;
  }

  /** Reads `text` from its start to the end of the object, or to the first character that does not fit; returns that index. */
  read(text: string): number {
    for (let i = 0; i < text.length; i++) {
      const character = text.charAt(i);
      if (!this.#take(character)) return i;
      this.#unsent += character;
      if (this.#name !== undefined && this.#collecting !== 'string') this.#unsent = '';
      if (this.#closed) return i + 1;
    }
    return text.length;
  }

  /** What has become ready to hand out since the last call. */
  takePiece(): CallPiece | undefined {
    if (this.#name === undefined) return undefined;
    const argumentsText = this.#ready;
    if (this.#nameIsOut) {
      if (argumentsText === '') return undefined;
      this.#ready = '';
      return { argumentsText };
    }
    this.#nameIsOut = true;
    this.#ready = '';
    return { name: this.#name, argumentsText };
  }

  #take(character: string): boolean {
    const json = this.#json;
    const depth = json.depth;
    const expectedValue = json.expectsValue;
    const wasInString = json.inString;
    if (depth === 0 && !isSpace(character) && character !== '{') return false;
    const isLast = depth === 1 && character === '}' && !wasInString;
    if (!json.push(character)) return false;
    if (depth === 0) return true;
    if (this.#collecting === 'nothing') {
      if (depth === 1 && expectedValue && !isSpace(character)) return this.#startValue(character);
      if (depth === 1 && !wasInString && json.inString && json.isKey) this.#collect('key', character);
    } else {
      this.#collectMore(character, wasInString);
      if (!this.#endCollection(wasInString)) return false;
    }
    return isLast ? this.#endCall() : true;
  }

  #startValue(character: string): boolean {
    const member = this.#member;
    this.#member = 'other';
    if (member === 'name' && this.#name === undefined) {
      this.#collect('name', character);
      return character === '"';
    }
    if (member !== 'arguments' || this.#argumentsAreWhole) return true;
    if (character === '{') {
      this.#collect('object', '');
      this.#ready += character;
    } else if (character === '"') this.#collect('string', character);
    else this.#collect('null', character);
    return '{"n'.includes(character);
  }

  #collect(what: 'key' | 'name' | 'object' | 'string' | 'null', character: string): void {
    this.#collecting = what;
    this.#collected = character;
  }

  #collectMore(character: string, wasInString: boolean): void {
    const written = wasInString && character < ' ' ? JSON.stringify(character).slice(1, -1) : character;
    if (this.#collecting === 'object') this.#ready += written;
    else this.#collected += written;
  }

  /** Closes what is being collected, when the last character ended it. False when it is not what it must be. */
  #endCollection(wasInString: boolean): boolean {
    const json = this.#json;
    if (json.depth > 1) return true;
    const stringEnded = wasInString && !json.inString;
    switch (this.#collecting) {
      case 'key':
        if (stringEnded) this.#member = memberOf(decode(this.#collected));
        break;
      case 'name': {
        if (!stringEnded) break;
        const name = decode(this.#collected);
        if (typeof name !== 'string' || name === '') return false;
        this.#name = name;
        break;
      }
      case 'string': {
        if (!stringEnded) break;
        const text = decode(this.#collected);
        if (typeof text !== 'string' || !isObjectText(text)) return false;
        this.#ready += text.trim();
        this.#argumentsAreWhole = true;
        break;
      }
      case 'null':
      case 'object':
        if (!json.betweenValues) return true;
        if (this.#collecting === 'null') this.#ready += '{}';
        this.#argumentsAreWhole = true;
        this.#collecting = 'nothing';
        return true;
      case 'nothing':
        return true;
    }
    if (stringEnded) this.#collecting = 'nothing';
    return true;
  }

  #endCall(): boolean {
    if (this.#name === undefined) return false;
    if (!this.#argumentsAreWhole) this.#ready += '{}';
    this.#argumentsAreWhole = true;
    this.#closed = true;
    return true;
  }
}

function memberOf(key: unknown): Member {
  if (key === 'name') return 'name';
  return key === 'arguments' || key === 'parameters' ? 'arguments' : 'other';
}

/** A whole JSON string of the machine's dialect as text; undefined should it not decode after all. */
function decode(raw: string): unknown {
  try {
    return JSON.parse(raw) as unknown;
  } catch {
    return undefined;
  }
}

function isObjectText(text: string): boolean {
  const value = decode(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSpace(character: string): boolean {
  return character === ' ' || character === '\n' || character === '\r' || character === '\t';
}
