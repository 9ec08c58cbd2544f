import { tableOf } from './byte-table.js';
import { MAX_JSON_DEPTH, MAX_MEMBER_NAME_BYTES } from './limits.js';
import { afterNumber, ENDS_NUMBER, startOfNumber } from './number-states.js';

/** The kind of a JSON value. */
export type JsonKind = 'string' | 'number' | 'object' | 'array' | 'true' | 'false' | 'null';

/** A value of the text's root (depth 0), of its members or items (1), or of theirs (2). */
export interface JsonValue {
  readonly depth: number;
  readonly kind: JsonKind;
  /** Bytes from the beginning of the text; `end` is behind the last. */
  readonly start: number;
  readonly end: number;
  /** Its bytes, if they were asked for and fit the limit. */
  readonly bytes: Uint8Array | undefined;
}

/** Callbacks of a scanner: for names and values at depths 1 and 2 only, and for the root at its end. */
export interface JsonVisitor {
  /** The name of a member as written, quotes included; undefined: longer than any name that matters. */
  onName(depth: number, written: Uint8Array | undefined): void;
  /** A value begins. Returns how many of its bytes to keep at most; 0: none. */
  onStart(depth: number, kind: JsonKind, start: number): number;
  onValue(value: JsonValue): void;
}

/** Where and why a text is not JSON, or too deep. */
export interface JsonFailure {
  readonly at: number;
  readonly why: 'syntax' | 'depth';
}

// States of the scanner: the token that may come next.
const VALUE = 0;
const VALUE_OR_CLOSE = 1;
const NAME = 2;
const NAME_OR_CLOSE = 3;
const COLON = 4;
const COMMA_OR_CLOSE = 5;
const STRING = 6;
const ESCAPE = 7;
const HEX = 8;
const NUMBER = 9;
const LITERAL = 10;
const DONE = 11;

/** Depths whose names and values are reported. */
const TOLD_DEPTH = 2;

/** 1: whitespace between tokens. Source: RFC 8259, 2. */
const SPACE = tableOf(' \t\n\r');
/** 1: a byte that may end or change a string. */
const STOPS_STRING = tableOf('"\\').map((value, byte) => (byte < 0x20 ? 1 : value));
const ESCAPES = tableOf('"\\/bfnrt');
const HEX_DIGITS = tableOf('0123456789abcdefABCDEF');
const LITERALS: ReadonlyMap<number, { readonly kind: JsonKind; readonly text: string }> = new Map(
  (['true', 'false', 'null'] as const).map((text) => [text.charCodeAt(0), { kind: text, text }]),
);
/**
 * Reads a JSON text byte by byte, in pieces of any size. Its memory does not grow with the text. It accepts exactly the
 * texts that RFC 8259 allows, down to the depth limit. It builds no values, and does not check UTF-8 inside of strings.
 */
export class JsonScanner {
  readonly #visitor: JsonVisitor;
  /** For each open object or array, whether it is an object. */
  readonly #isObject = new Uint8Array(MAX_JSON_DEPTH + 1);
  /** Kinds of the open values at depths 0 to 2. */
  readonly #kinds: JsonKind[] = [];
  readonly #starts: number[] = [];
  #state = VALUE;
  #depth = 0;
  /** Bytes before the current piece. */
  #offset = 0;
  #isName = false;
  #hexLeft = 0;
  #number = 0;
  #literal = '';
  #literalAt = 0;
  /** Kept bytes: of the name, or of the value at `#keptDepth`. */
  #kept: Uint8Array[] = [];
  #keptSize = 0;
  #keepLimit = 0;
  #keepFrom = -1;
  #keptDepth = -1;
  #failure: JsonFailure | undefined;

  constructor(visitor: JsonVisitor) {
    this.#visitor = visitor;
  }

  /** The first mistake in the text. */
  get failure(): JsonFailure | undefined {
    return this.#failure;
  }

  /** Whether the root, other than a number, was read to its end; only whitespace may follow. */
  get isWhole(): boolean {
    return this.#state === DONE && this.#failure === undefined;
  }

  /** Reads on; false once the text is wrong. The piece may be changed after the call. */
  write(piece: Uint8Array): boolean {
    if (this.#failure !== undefined) return false;
    let at = 0;
    while (at < piece.length && this.#failure === undefined) at = this.#step(piece, at);
    if (this.#failure === undefined && this.#keepFrom !== -1) {
      this.#keep(piece, piece.length);
      this.#keepFrom = 0;
    }
    this.#offset += piece.length;
    return this.#failure === undefined;
  }

  /** The text is over; false where it is wrong or cut off. */
  end(): boolean {
    if (this.#failure !== undefined) return false;
    if (this.#state === NUMBER && this.#depth === 0) this.#endNumber(new Uint8Array(0), 0);
    if (this.#state !== DONE) this.#fail(0);
    return this.#failure === undefined;
  }

  /** Reads one byte, or a run of them in a string; returns where to go on. */
  #step(piece: Uint8Array, at: number): number {
    const byte = piece[at] ?? 0;
    switch (this.#state) {
      case STRING:
        return this.#stepString(piece, at);
      case ESCAPE:
        if (byte === 0x75) [this.#state, this.#hexLeft] = [HEX, 4];
        else if (ESCAPES[byte] === 1) this.#state = STRING;
        else this.#fail(at);
        return at + 1;
      case HEX:
        if (HEX_DIGITS[byte] !== 1) this.#fail(at);
        else if (--this.#hexLeft === 0) this.#state = STRING;
        return at + 1;
      case NUMBER:
        return this.#stepNumber(piece, at, byte);
      case LITERAL:
        if (byte !== this.#literal.charCodeAt(this.#literalAt)) this.#fail(at);
        else if (++this.#literalAt === this.#literal.length) this.#endValue(piece, at + 1);
        return at + 1;
      default:
        if (SPACE[byte] !== 1) this.#stepToken(piece, at, byte);
        return at + 1;
    }
  }

  #stepString(piece: Uint8Array, from: number): number {
    let at = from;
    while (at < piece.length && STOPS_STRING[piece[at] ?? 0] === 0) at++;
    if (at === piece.length) return at;
    const byte = piece[at];
    if (byte === 0x5c) this.#state = ESCAPE;
    else if (byte !== 0x22) this.#fail(at);
    else if (!this.#isName) this.#endValue(piece, at + 1);
    else {
      this.#isName = false;
      this.#state = COLON;
      if (this.#depth <= TOLD_DEPTH) this.#visitor.onName(this.#depth, this.#takeKept(piece, at + 1));
    }
    return at + 1;
  }

  /** A number ends before the byte that does not belong to it. */
  #stepNumber(piece: Uint8Array, at: number, byte: number): number {
    const next = afterNumber(this.#number, byte);
    if (next !== -1) {
      this.#number = next;
      return at + 1;
    }
    this.#endNumber(piece, at);
    return at;
  }

  #endNumber(piece: Uint8Array, at: number): void {
    if (ENDS_NUMBER[this.#number] !== true) this.#fail(at);
    else this.#endValue(piece, at);
  }

  /** Reads a byte that is neither whitespace nor inside of a scalar. */
  #stepToken(piece: Uint8Array, at: number, byte: number): void {
    const state = this.#state;
    if (state === VALUE || state === VALUE_OR_CLOSE) {
      if (byte === 0x5d && state === VALUE_OR_CLOSE) this.#close(piece, at, 0);
      else this.#startValue(at, byte);
    } else if (state === NAME || state === NAME_OR_CLOSE) {
      if (byte === 0x7d && state === NAME_OR_CLOSE) this.#close(piece, at, 1);
      else if (byte !== 0x22) this.#fail(at);
      else {
        this.#isName = true;
        this.#state = STRING;
        if (this.#depth <= TOLD_DEPTH) this.#startKeeping(at, MAX_MEMBER_NAME_BYTES, -1);
      }
    } else if (state === COLON) {
      if (byte === 0x3a) this.#state = VALUE;
      else this.#fail(at);
    } else if (state === COMMA_OR_CLOSE) {
      const isObject = this.#isObject[this.#depth] ?? 0;
      if (byte === 0x2c) this.#state = isObject === 1 ? NAME : VALUE;
      else if (byte === (isObject === 1 ? 0x7d : 0x5d)) this.#close(piece, at, isObject);
      else this.#fail(at);
    } else this.#fail(at);
  }

  #startValue(at: number, byte: number): void {
    if (byte === 0x22) {
      this.#state = STRING;
      this.#told('string', at);
    } else if (byte === 0x7b || byte === 0x5b) {
      const isObject = byte === 0x7b;
      this.#told(isObject ? 'object' : 'array', at);
      if (this.#depth === MAX_JSON_DEPTH) return this.#fail(at, 'depth');
      this.#depth++;
      this.#isObject[this.#depth] = isObject ? 1 : 0;
      this.#state = isObject ? NAME_OR_CLOSE : VALUE_OR_CLOSE;
    } else if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) {
      this.#number = startOfNumber(byte);
      this.#state = NUMBER;
      this.#told('number', at);
    } else {
      const literal = LITERALS.get(byte);
      if (literal === undefined) return this.#fail(at);
      this.#literal = literal.text;
      this.#literalAt = 1;
      this.#state = LITERAL;
      this.#told(literal.kind, at);
    }
  }

  #close(piece: Uint8Array, at: number, isObject: number): void {
    if (this.#isObject[this.#depth] !== isObject) return this.#fail(at);
    this.#depth--;
    this.#endValue(piece, at + 1);
  }

  /** Reports a value that begins. */
  #told(kind: JsonKind, at: number): void {
    const depth = this.#depth;
    if (depth > TOLD_DEPTH) return;
    const start = this.#offset + at;
    this.#kinds[depth] = kind;
    this.#starts[depth] = start;
    const limit = this.#visitor.onStart(depth, kind, start);
    if (limit > 0 && this.#keepFrom === -1) this.#startKeeping(at, limit, depth);
  }

  /** Ends the value whose last byte is before `end`. */
  #endValue(piece: Uint8Array, end: number): void {
    const depth = this.#depth;
    this.#state = depth === 0 ? DONE : COMMA_OR_CLOSE;
    if (depth > TOLD_DEPTH) return;
    const bytes = this.#keptDepth === depth ? this.#takeKept(piece, end) : undefined;
    const [kind = 'null', start = 0] = [this.#kinds[depth], this.#starts[depth]];
    this.#visitor.onValue({ depth, kind, start, end: this.#offset + end, bytes });
  }

  #startKeeping(at: number, limit: number, depth: number): void {
    // Names inside a kept value are not needed.
    if (this.#keepFrom !== -1) return;
    this.#kept = [];
    this.#keptSize = 0;
    this.#keepFrom = at;
    this.#keepLimit = limit;
    this.#keptDepth = depth;
  }

  #keep(piece: Uint8Array, end: number): void {
    this.#keptSize += end - this.#keepFrom;
    if (this.#keptSize > this.#keepLimit) this.#kept = [];
    else if (end > this.#keepFrom) this.#kept.push(Uint8Array.prototype.slice.call(piece, this.#keepFrom, end));
  }

  /** The kept bytes up to `end`; undefined if they exceeded the limit, or were a name inside of a kept value. */
  #takeKept(piece: Uint8Array, end: number): Uint8Array | undefined {
    if (this.#keepFrom === -1 || (this.#state === COLON && this.#keptDepth !== -1)) return undefined;
    this.#keep(piece, end);
    const [first = new Uint8Array(0)] = this.#kept;
    const whole = this.#kept.length === 1 ? first : Buffer.concat(this.#kept);
    this.#keepFrom = -1;
    this.#keptDepth = -1;
    this.#kept = [];
    return this.#keptSize > this.#keepLimit ? undefined : whole;
  }

  #fail(at: number, why: JsonFailure['why'] = 'syntax'): void {
    this.#failure ??= { at: this.#offset + at, why };
  }
}
