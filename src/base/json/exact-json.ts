import { endOfJsonString } from './json-source.js';

/** A number with its original text, which a double loses: 1.0, 1e3, 12345678901234567890. */
export class JsonNumber {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  get value(): number {
    return Number(this.source);
  }
}

/** JSON without loss: objects are Maps in the order of their text. The last value of a repeated key counts. */
export type ExactJson = null | boolean | string | JsonNumber | ExactJson[] | Map<string, ExactJson>;

/** The value of a JSON text; undefined where JSON.parse fails. */
export function readExactJson(text: string): ExactJson | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  return new ExactReader(text).read();
}

const NUMBER = /[-+.eE\d]+/y;

/** Reads text that JSON.parse accepts. */
class ExactReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): ExactJson {
    switch (this.#peek()) {
      case '{':
        return this.#object();
      case '[':
        return this.#array();
      case '"':
        return this.#string();
      case 't':
        return this.#literal('true', true);
      case 'f':
        return this.#literal('false', false);
      case 'n':
        return this.#literal('null', null);
      default:
        return this.#number();
    }
  }

  /** The next character that is no white space. */
  #peek(): string {
    while (this.#text.charCodeAt(this.#at) <= 0x20) this.#at++;
    return this.#text.charAt(this.#at);
  }

  #object(): Map<string, ExactJson> {
    const members = new Map<string, ExactJson>();
    do {
      this.#at++;
      if (this.#peek() === '}') break;
      const key = this.#string();
      this.#peek();
      this.#at++;
      members.set(key, this.read());
    } while (this.#peek() === ',');
    this.#at++;
    return members;
  }

  #array(): ExactJson[] {
    const items: ExactJson[] = [];
    do {
      this.#at++;
      if (this.#peek() === ']') break;
      items.push(this.read());
    } while (this.#peek() === ',');
    this.#at++;
    return items;
  }

  #string(): string {
    const start = this.#at;
    const end = endOfJsonString(this.#text, start);
    this.#at = end + 1;
    const inside = this.#text.slice(start + 1, end);
    return inside.includes('\\') ? String(JSON.parse(`"${inside}"`)) : inside;
  }

  #literal<T>(word: string, value: T): T {
    this.#at += word.length;
    return value;
  }

  #number(): JsonNumber {
    NUMBER.lastIndex = this.#at;
    const source = NUMBER.exec(this.#text)?.[0] ?? '';
    this.#at += source.length;
    return new JsonNumber(source);
  }
}
