import { toCallArguments } from './call-arguments.js';
import { JsonMachine } from './json-machine.js';

/** A whole call: its arguments are the text of a JSON object. */
export interface WholeCall {
  readonly name: string;
  readonly argumentsText: string;
}

/** Distinguishes a call without a tag from any other object. */
export interface BareCall {
  /** The callable tools; absent: any. */
  readonly names?: ReadonlySet<string> | undefined;
}

type Member = 'name' | 'arguments' | 'other';

/** Members besides name and arguments in calls that models write without a tag. */
const BESIDE: ReadonlySet<string> = new Set(['type', 'id']);

/**
 * Reads `{"name": …, "arguments": {…}}` as a stream and stops at the first character that does not fit. It is a call
 * only at its end: JSON can break at any character. It also accepts `parameters` for `arguments` and any order; the
 * last of repeated members counts, as in JSON.parse. `toCallArguments` has the rule for arguments; missing ones are
 * `{}`. A bare call has arguments, the name of a tool of the request, and no members of other names. Otherwise the
 * first such member does not fit.
 */
export class ToolCallReader {
  readonly #json = new JsonMachine();
  readonly #bare: BareCall | undefined;
  readonly #nameKey: string;
  #text = '';
  #member: Member = 'other';
  /** The key or value that is being read, repaired. */
  #collected = '';
  #collecting: 'key' | 'name' | 'arguments' | undefined;
  #name: string | undefined;
  #arguments: string | undefined;
  #closed = false;

  /** `nameKey`: the key of the tool's name. */
  constructor(bare?: BareCall, nameKey = 'name') {
    this.#bare = bare;
    this.#nameKey = nameKey;
  }

  /** Everything read, unchanged. */
  get text(): string {
    return this.#text;
  }

  /** The object is closed, and is a call. */
  get closed(): boolean {
    return this.#closed;
  }

  /** The call: its object is closed, or lacks only its last brace. */
  get call(): WholeCall | undefined {
    const lacksBrace = this.#json.depth === 1 && this.#json.betweenValues && this.#arguments !== undefined;
    if (this.#name === undefined || !(this.#closed || lacksBrace)) return undefined;
    return { name: this.#name, argumentsText: this.#arguments ?? '{}' };
  }

  get #isWhole(): boolean {
    return this.#name !== undefined && (this.#bare === undefined || this.#arguments !== undefined);
  }

  /** Reads `text` from its start to the end of the object, or to the first character that does not fit; returns that index. */
  read(text: string): number {
    let end = 0;
    while (end < text.length && !this.#closed && this.#take(text.charAt(end))) end++;
    this.#text += text.slice(0, end);
    return end;
  }

  #take(character: string): boolean {
    const json = this.#json;
    const { depth, expectsValue } = json;
    if (depth === 0 && !isSpace(character) && character !== '{') return false;
    const written = json.push(character);
    if (written === undefined) return false;
    if (this.#collecting !== undefined) {
      this.#collected += written;
      return this.#endCollection(this.#collecting);
    }
    if (depth !== 1) return true;
    if (expectsValue && !isSpace(character)) return this.#startValue(written);
    if (json.inString && json.isKey) this.#collect('key', written);
    // An object without a name is no call, and its brace does not fit.
    if (json.depth === 0) this.#closed = this.#isWhole;
    return json.depth > 0 || this.#closed;
  }

  /** False for a value of a type that its member cannot have. */
  #startValue(first: string): boolean {
    const member = this.#member;
    this.#member = 'other';
    if (member === 'other') return true;
    this.#collect(member, first);
    return (member === 'name' ? '"' : '{"n').includes(first);
  }

  #collect(what: 'key' | 'name' | 'arguments', first: string): void {
    this.#collecting = what;
    this.#collected = first;
  }

  /** Takes the collected value, if the last character ended it. False when it is not valid there. */
  #endCollection(what: 'key' | 'name' | 'arguments'): boolean {
    const json = this.#json;
    const isOpen = what === 'key' ? json.inString : json.depth > 1 || !json.betweenValues;
    if (isOpen) return true;
    this.#collecting = undefined;
    if (what === 'arguments') {
      this.#arguments = toCallArguments(this.#collected);
      return this.#arguments !== undefined;
    }
    const text = String(JSON.parse(this.#collected));
    if (what === 'key') {
      this.#member = memberOf(text, this.#nameKey);
      return this.#bare === undefined || this.#member !== 'other' || BESIDE.has(text);
    }
    this.#name = text;
    return text !== '' && this.#bare?.names?.has(text) !== false;
  }
}

function memberOf(key: string, nameKey: string): Member {
  if (key === nameKey) return 'name';
  return key === 'arguments' || key === 'parameters' ? 'arguments' : 'other';
}

function isSpace(character: string): boolean {
  return character === ' ' || character === '\n' || character === '\r' || character === '\t';
}
