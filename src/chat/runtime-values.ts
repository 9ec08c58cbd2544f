import { Environment } from '@huggingface/jinja';
import { endOfJsonString } from '../base/index.js';
import { toCallArguments } from './call-arguments.js';
import { readJsonText } from './json-text.js';

/** A value of @huggingface/jinja, which exports neither its classes nor its types. */
export interface RuntimeValue {
  readonly type: string;
  readonly value: unknown;
}
type RuntimeClass = new (value?: unknown) => RuntimeValue;

const IntegerValue = classOf(1);
const FloatValue = classOf(0.5);
const StringValue = classOf('');
const BooleanValue = classOf(true);
const NullValue = classOf(null);
const UndefinedValue = classOf(undefined);
const ArrayValue = classOf([]);
const ObjectValue = classOf({});

/**
 * A variable as the library has it. Unlike its own, numbers remember how they are written (`numberSource`), a bigint is a
 * number, and a `JsonText` is what its text says, in the order of its text.
 */
export function toRuntimeValue(value: unknown): RuntimeValue {
  switch (typeof value) {
    case 'string':
      return new StringValue(value);
    case 'boolean':
      return new BooleanValue(value);
    case 'undefined':
      return new UndefinedValue();
    case 'number':
      return Number.isFinite(value) ? toNumber(String(value)) : new FloatValue(value);
    case 'bigint':
      return toNumber(String(value));
    case 'object':
      return value === null ? new NullValue() : toContainer(value);
    default:
      return new Environment().set('function', value) as RuntimeValue;
  }
}

/** The JSON number that a value was written as; undefined for what a template computed. */
export function numberSource(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const source: unknown = Reflect.get(value, 'source');
  return typeof source === 'string' ? source : undefined;
}

function toContainer(value: object): RuntimeValue {
  if (Array.isArray(value)) return new ArrayValue(value.map(toRuntimeValue));
  const json = readJsonText(value);
  if (json === undefined) return toDictionary(Object.entries(value).map(([key, item]) => [key, toRuntimeValue(item)]));
  const text = json.kind === 'arguments' ? toCallArguments(json.text) : json.text;
  return (text === undefined ? undefined : readJson(text)) ?? new StringValue(json.text);
}

function toDictionary(entries: readonly (readonly [string, RuntimeValue])[]): RuntimeValue {
  return new ObjectValue(new Map(entries));
}

/** As Python reads a number: an integer unless it has a point or an exponent. */
function toNumber(source: string): RuntimeValue {
  const value = new (/^-?\d+$/.test(source) ? IntegerValue : FloatValue)(Number(source));
  return Object.assign(value, { source });
}

function classOf(value: unknown): RuntimeClass {
  return (new Environment().set('value', value) as RuntimeValue).constructor as RuntimeClass;
}

function readJson(text: string): RuntimeValue | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  return new JsonReader(text).read();
}

const NUMBER = /[-+.eE\d]+/y;

/** Reads text that JSON.parse takes. */
class JsonReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): RuntimeValue {
    switch (this.#peek()) {
      case '{':
        return this.#object();
      case '[':
        return this.#array();
      case '"':
        return new StringValue(this.#string());
      case 't':
        return this.#literal('true', new BooleanValue(true));
      case 'f':
        return this.#literal('false', new BooleanValue(false));
      case 'n':
        return this.#literal('null', new NullValue());
      default:
        return this.#number();
    }
  }

  /** The next character that is no white space. */
  #peek(): string {
    while (this.#text.charCodeAt(this.#at) <= 0x20) this.#at++;
    return this.#text.charAt(this.#at);
  }

  #object(): RuntimeValue {
    const entries: (readonly [string, RuntimeValue])[] = [];
    do {
      this.#at++;
      if (this.#peek() === '}') break;
      const key = this.#string();
      this.#peek();
      this.#at++;
      entries.push([key, this.read()]);
    } while (this.#peek() === ',');
    this.#at++;
    return toDictionary(entries);
  }

  #array(): RuntimeValue {
    const items: RuntimeValue[] = [];
    do {
      this.#at++;
      if (this.#peek() === ']') break;
      items.push(this.read());
    } while (this.#peek() === ',');
    this.#at++;
    return new ArrayValue(items);
  }

  #string(): string {
    const start = this.#at;
    const end = endOfJsonString(this.#text, start);
    this.#at = end + 1;
    const inside = this.#text.slice(start + 1, end);
    return inside.includes('\\') ? String(JSON.parse(`"${inside}"`)) : inside;
  }

  #literal(word: string, value: RuntimeValue): RuntimeValue {
    this.#at += word.length;
    return value;
  }

  #number(): RuntimeValue {
    NUMBER.lastIndex = this.#at;
    const source = NUMBER.exec(this.#text)?.[0] ?? '';
    this.#at += source.length;
    return toNumber(source);
  }
}
