import { toCallArguments } from './call-arguments.js';
import { JsonMachine } from './json-machine.js';

/** A call that is whole: its arguments are the text of a JSON object. */
export interface WholeCall {
  readonly name: string;
  readonly argumentsText: string;
}

/** What tells a call that no tag announces from any other object. */
export interface BareCall {
  /** The tools that may be called; absent: any. */
  readonly names?: ReadonlySet<string> | undefined;
}

type Member = 'name' | 'arguments' | 'other';

/** Members that calls have beside name and arguments, where models write them without a tag. */
const BESIDE: ReadonlySet<string> = new Set(['type', 'id']);

/**
 * Reads `{"name": …, "arguments": {…}}` as it is written, and knows where it cannot go on. Nothing is a call before the end:
 * JSON can break at any character. Also takes `parameters` for `arguments` and any order; of members that come twice the last
 * counts, as in JSON.parse. `toCallArguments` says what arguments may be; left out, they are `{}`. A bare call has arguments,
 * the name of a tool that was offered, and no members of other names: else the first of them is what does not fit.
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

  /** All that was read, as it came. */
  get text(): string {
    return this.#text;
  }

  /** The object is closed, and is a call. */
  get closed(): boolean {
    return this.#closed;
  }

  /** The call that was read: its object is closed, or lacks nothing but its last brace. */
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
    // Without a name it is no call, and its brace does not fit.
    if (json.depth === 0) this.#closed = this.#isWhole;
    return json.depth > 0 || this.#closed;
  }

  /** False where the value is of a kind that its member cannot have. */
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

  /** Takes what is being collected, if the last character ended it. False when it is not what it must be. */
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
