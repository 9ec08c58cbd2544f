import { StringDecoder } from 'node:string_decoder';
import type { PathNode } from './answer-paths.js';
import type { AnswerTexts } from './answer-texts.js';

/** Bytes of a kept value that are read. The largest `usage` known has some 600. */
const MAX_KEPT_BYTES = 16 * 1024;
/** Characters of a member's name that are read: longer than any name of a path. */
const MAX_NAME = 64;
/** Kept values of one answer. */
const MAX_KEPT = 64;

/** An object or a list that is open. */
interface Open {
  readonly isList: boolean;
  /** Undefined: nothing in it is read. */
  readonly node: PathNode | undefined;
  items: number;
  /** The next token is the name of a member. */
  isAtName: boolean;
  /** The member whose value comes next. */
  next: PathNode | undefined;
}

/** A value whose source bytes are read, from first to last. */
interface Raw {
  /** How many values enclose it. */
  readonly depth: number;
  /** Undefined: it is kept. */
  readonly same: number | undefined;
  readonly isText: boolean;
  readonly decoder: StringDecoder;
  kept: string;
  size: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const ESCAPED: ReadonlyMap<number, string> = new Map([
  [QUOTE, '"'],
  [BACKSLASH, '\\'],
  [0x2f, '/'],
  [0x62, '\b'],
  [0x66, '\f'],
  [0x6e, '\n'],
  [0x72, '\r'],
  [0x74, '\t'],
]);

/**
 * Reads the values at some paths of a JSON text in pieces of any size: adds its texts, and keeps small values. It assumes valid
 * JSON: other input gives meaningless values, and no error. Its memory does not grow with the text.
 */
export class JsonWalk {
  readonly #tree: PathNode;
  readonly #texts: AnswerTexts;
  readonly #open: Open[] = [];
  /** Members and indices that lead to the current value, where it is on a path. */
  readonly #place: string[] = [];
  readonly #kept: { readonly place: readonly string[]; readonly value: unknown }[] = [];
  /** The kind of the current string. */
  #string: 'none' | 'name' | 'text' | 'skipped' = 'none';
  #same: number | undefined;
  #decoder = new StringDecoder('utf8');
  #name = '';
  /** A begun escape, without its backslash. */
  #escape: string | undefined;
  /** The current value is a number, or a word such as null. */
  #isScalar = false;
  #raw: Raw | undefined;
  /** Where the raw value continues in the current piece. */
  #rawFrom = 0;

  constructor(tree: PathNode, texts: AnswerTexts) {
    this.#tree = tree;
    this.#texts = texts;
  }

  write(piece: Uint8Array): void {
    this.#rawFrom = 0;
    for (let at = 0; at < piece.length;)
      at = this.#string === 'none' ? this.#step(piece, at) : this.#stepString(piece, at);
    this.#takeRaw(piece.subarray(this.#rawFrom));
  }

  /** The kept values, as an object with them at their paths, and nothing else. */
  kept(): Readonly<Record<string, unknown>> {
    const root = new Map<string, unknown>();
    for (const { place, value } of this.#kept) {
      let inner = root;
      for (const name of place.slice(0, -1)) {
        const found = inner.get(name);
        const next = found instanceof Map ? (found as Map<string, unknown>) : new Map<string, unknown>();
        inner.set(name, next);
        inner = next;
      }
      inner.set(place.at(-1) ?? '', value);
    }
    return toRecord(root);
  }

  /** Reads one byte outside of strings; returns where to continue. */
  #step(piece: Uint8Array, at: number): number {
    const byte = piece[at] ?? 0;
    switch (byte) {
      case QUOTE:
        this.#startString(at);
        break;
      case 0x7b:
      case 0x5b:
        this.#startOpen(at, byte === 0x5b);
        break;
      case 0x7d:
      case 0x5d:
        this.#endScalar(piece, at);
        this.#open.pop();
        this.#endRaw(piece, at + 1);
        break;
      case 0x2c:
        this.#endScalar(piece, at);
        this.#startNext();
        break;
      case 0x3a:
      case 0x20:
      case 0x0a:
      case 0x0d:
      case 0x09:
        this.#endScalar(piece, at);
        break;
      default:
        if (!this.#isScalar) this.#startScalar(at);
    }
    return at + 1;
  }

  #stepString(piece: Uint8Array, from: number): number {
    if (this.#escape !== undefined) {
      this.#stepEscape(piece[from] ?? 0);
      return from + 1;
    }
    let at = from;
    while (at < piece.length && piece[at] !== QUOTE && piece[at] !== BACKSLASH) at++;
    if (at > from && this.#string !== 'skipped') this.#take(this.#decoder.write(piece.subarray(from, at)));
    if (at === piece.length) return at;
    if (piece[at] === BACKSLASH) this.#escape = '';
    else this.#endString(piece, at);
    return at + 1;
  }

  #stepEscape(byte: number): void {
    const begun = this.#escape ?? '';
    if (begun === '' && byte !== LETTER_U) this.#endEscape(ESCAPED.get(byte) ?? '');
    else if (begun.length < 4) this.#escape = begun + String.fromCharCode(byte);
    else this.#endEscape(String.fromCharCode(Number.parseInt(begun.slice(1) + String.fromCharCode(byte), 16)));
  }

  #endEscape(character: string): void {
    this.#escape = undefined;
    if (this.#string !== 'skipped') this.#take(character);
  }

  #take(text: string): void {
    if (this.#string === 'text') this.#texts.add(this.#place, text, this.#same);
    else if (this.#name.length <= MAX_NAME) this.#name += text;
  }

  #startString(at: number): void {
    const open = this.#open.at(-1);
    this.#decoder = new StringDecoder('utf8');
    if (open?.isAtName === true) {
      this.#string = this.#raw === undefined && open.node !== undefined ? 'name' : 'skipped';
      this.#name = '';
      return;
    }
    const node = this.#startValue();
    this.#string = node?.use === 'text' || node?.use === 'value' || node?.use === 'token' ? 'text' : 'skipped';
    if (node?.use === 'piece') this.#texts.addTokens(node.tokens);
    this.#same = node?.same;
    if (node?.use === 'kept') this.#startRaw(at, node);
  }

  #endString(piece: Uint8Array, at: number): void {
    if (this.#string !== 'skipped') this.#take(this.#decoder.end());
    const open = this.#open.at(-1);
    const wasName = open?.isAtName === true;
    if (open !== undefined && wasName) {
      open.isAtName = false;
      open.next = this.#string === 'name' ? open.node?.members.get(this.#name) : undefined;
      if (open.next !== undefined) this.#place[this.#open.length - 1] = this.#name;
    }
    this.#string = 'none';
    if (!wasName) this.#endRaw(piece, at + 1);
  }

  #startOpen(at: number, isList: boolean): void {
    const node = this.#startValue();
    if (node?.use === 'kept' || node?.use === 'value') this.#startRaw(at, node);
    if (node !== undefined) this.#texts.addTokens(node.tokens);
    this.#open.push({
      isList,
      node: this.#raw === undefined ? node : undefined,
      items: 0,
      isAtName: !isList,
      next: undefined,
    });
  }

  #startNext(): void {
    const open = this.#open.at(-1);
    if (open === undefined) return;
    if (open.isList) open.items++;
    else open.isAtName = true;
  }

  #startScalar(at: number): void {
    const node = this.#startValue();
    this.#isScalar = true;
    if (node?.use === 'token') this.#texts.addTokens(1);
    if (node?.use === 'kept') this.#startRaw(at, node);
  }

  #endScalar(piece: Uint8Array, at: number): void {
    if (!this.#isScalar) return;
    this.#isScalar = false;
    this.#endRaw(piece, at);
  }

  /** A value begins; its node in the paths, if it has one. */
  #startValue(): PathNode | undefined {
    if (this.#raw !== undefined) return undefined;
    const open = this.#open.at(-1);
    if (open === undefined) return this.#tree;
    const depth = this.#open.length;
    this.#place.length = Math.min(this.#place.length, depth);
    if (!open.isList) return open.next;
    const node = open.node?.members.get('*');
    if (node !== undefined) this.#place[depth - 1] = String(open.items);
    return node;
  }

  #startRaw(at: number, { use, same }: PathNode): void {
    const decoder = new StringDecoder('utf8');
    this.#raw = { depth: this.#open.length, same, isText: use === 'value', decoder, kept: '', size: 0 };
    this.#rawFrom = at;
  }

  #takeRaw(bytes: Uint8Array): void {
    const raw = this.#raw;
    if (raw === undefined) return;
    raw.size += bytes.length;
    const text = raw.decoder.write(bytes);
    if (raw.isText) this.#texts.add(this.#place, text, raw.same);
    else if (raw.size <= MAX_KEPT_BYTES) raw.kept += text;
  }

  /** A value is over: ends the raw value if it is that one. */
  #endRaw(piece: Uint8Array, end: number): void {
    const raw = this.#raw;
    if (raw === undefined || raw.depth !== this.#open.length) return;
    this.#takeRaw(piece.subarray(this.#rawFrom, end));
    this.#raw = undefined;
    if (raw.isText || this.#kept.length >= MAX_KEPT) return;
    this.#kept.push({
      place: [...this.#place],
      value: raw.size > MAX_KEPT_BYTES ? { isTooLarge: true } : parse(raw.kept),
    });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toRecord(map: ReadonlyMap<string, unknown>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    [...map].map(([name, value]) => [
      name,
      value instanceof Map ? toRecord(value as ReadonlyMap<string, unknown>) : value,
    ]),
  );
}
