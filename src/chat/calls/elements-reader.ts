import { MAX_KEY_LENGTH, MAX_TRIMMED_NEWLINES } from '../limits.js';
import type { ElementSyntax } from './element-syntax.js';
import { elementTypes, type ElementType } from './element-types.js';
import type { WholeCall } from './tool-call-reader.js';
import { repairJson } from './call-arguments.js';

/** State of the reader: between arguments, in a key, between a key and its value, in a value. */
type Place = 'between' | 'key' | 'keyed' | 'value';

/**
 * Reads the arguments of a call that are written as elements (`ElementSyntax`), up to the end of the call. The tool's
 * `parameters` decide the type of a value (`elementTypes`). The last argument with a key counts. At most a tag's length
 * of a value is read twice, so the cost is linear in its length.
 */
export class ElementsReader {
  readonly #syntax: ElementSyntax;
  readonly #name: string;
  readonly #parameters: unknown;
  readonly #texts = new Map<string, string>();
  #place: Place = 'between';
  /** Everything read, unchanged, except the held text. */
  #text = '';
  /** A possible beginning of a tag, a key, or the end of a value. */
  #held = '';
  #key = '';
  /** The pieces of the value that is being read. */
  #pieces: string[] = [];
  #closed = false;
  #call: WholeCall | undefined;

  constructor(name: string, syntax: ElementSyntax, parameters: unknown) {
    this.#name = name;
    this.#syntax = syntax;
    this.#parameters = parameters;
  }

  /** Everything read, unchanged. */
  get text(): string {
    return this.#text + this.#held;
  }

  /** The last tag has been read. */
  get closed(): boolean {
    return this.#closed;
  }

  /** The call, once it is closed. */
  get call(): WholeCall | undefined {
    if (this.#closed) this.#call ??= this.#toCall();
    return this.#call;
  }

  /** The held text, which fits nothing and is no longer part of `text`. */
  takeHeld(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }

  /**
   * Reads `text` to the end of the call, or to the first text that does not fit: that begins with the held text.
   * Returns the index.
   */
  read(text: string): number {
    let rest = text;
    while (rest !== '' && !this.#closed) {
      const all = this.#held + rest;
      const step = this.#step(all);
      if (step === undefined) break;
      this.#text += all.slice(0, step.end);
      this.#held = step.isOpen ? all.slice(step.end) : '';
      rest = step.isOpen ? '' : all.slice(step.end);
    }
    return text.length - rest.length;
  }

  #toCall(): WholeCall {
    const { typesOf } = elementTypes(this.#parameters, this.#syntax.untyped);
    const members = Array.from(this.#texts, ([key, text]) => {
      return `${JSON.stringify(key)}: ${elementJson(text, typesOf(key))}`;
    });
    return { name: this.#name, argumentsText: `{${members.join(', ')}}` };
  }

  /** Takes the next element at the beginning of `all`; undefined where nothing fits. */
  #step(all: string): Step | undefined {
    const { open, openEnd, value, end } = this.#syntax;
    switch (this.#place) {
      case 'between':
        return this.#readTag(all, [open, end]);
      case 'key':
        return this.#readKey(all, openEnd);
      case 'keyed':
        return this.#readTag(all, [value]);
      case 'value':
        return this.#readValue(all);
    }
  }

  /** One of the tags, behind white space. */
  #readTag(all: string, tags: readonly string[]): Step | undefined {
    const next = all.trimStart();
    const blank = all.length - next.length;
    if (blank > MAX_TRIMMED_NEWLINES) return undefined;
    const found = tags.find((tag) => next.startsWith(tag));
    if (found === undefined) return tags.some((tag) => tag.startsWith(next)) ? { end: 0, isOpen: true } : undefined;
    if (found === this.#syntax.end) this.#closed = true;
    else this.#place = found === this.#syntax.open ? 'key' : 'value';
    return { end: blank + found.length, isOpen: false };
  }

  #readKey(all: string, mark: string): Step | undefined {
    const at = all.indexOf(mark);
    if (at === -1) return all.length < MAX_KEY_LENGTH + mark.length ? { end: 0, isOpen: true } : undefined;
    if (at > MAX_KEY_LENGTH) return undefined;
    this.#key = all.slice(0, at).trim();
    this.#place = this.#syntax.value === '' ? 'value' : 'keyed';
    return { end: at + mark.length, isOpen: false };
  }

  #readValue(all: string): Step {
    const { close, hasLines } = this.#syntax;
    const at = all.indexOf(close);
    const end = at === -1 ? Math.max(0, all.length - close.length + 1) : at;
    this.#pieces.push(all.slice(0, end));
    if (at === -1) return { end, isOpen: true };
    const text = this.#pieces.join('');
    this.#pieces = [];
    this.#texts.set(this.#key, hasLines ? withoutLines(text) : text);
    this.#place = 'between';
    return { end: at + close.length, isOpen: false };
  }
}

/** How far a step read, and whether the rest needs more text first. */
interface Step {
  readonly end: number;
  readonly isOpen: boolean;
}

/** Without a line break at either end. */
function withoutLines(text: string): string {
  const rest = text.startsWith('\n') ? text.slice(1) : text;
  return rest.endsWith('\n') ? rest.slice(0, -1) : rest;
}

/** As templates print them that leave the printing to Python. */
const PYTHON: Readonly<Record<string, string>> = { None: 'null', True: 'true', False: 'false' };
/** Types by the first character of a JSON text. */
const BY_FIRST: readonly (readonly [characters: string, type: ElementType])[] = [
  ['{', 'object'],
  ['[', 'array'],
  ['"', 'quoted'],
  ['n', 'null'],
  ['tf', 'boolean'],
  ['-0123456789', 'number'],
];

/**
 * The JSON text of an argument written as `text`. A value of one of `types` keeps its text, with strings in it repaired
 * (`JsonMachine`), and Python's names become `null`, `true` and `false`. Anything else becomes a string.
 */
export function elementJson(text: string, types: ReadonlySet<ElementType>): string {
  if (types.size === 0) return JSON.stringify(text);
  const trimmed = text.replace(/^[ \t\r\n]+/, '').replace(/[ \t\r\n]+$/, '');
  const value = Object.hasOwn(PYTHON, trimmed) ? (PYTHON[trimmed] ?? '') : trimmed;
  const type = value === '' ? undefined : BY_FIRST.find(([characters]) => characters.includes(value.charAt(0)))?.[1];
  const json = type !== undefined && types.has(type) ? repairJson(value) : undefined;
  return json ?? JSON.stringify(text);
}
