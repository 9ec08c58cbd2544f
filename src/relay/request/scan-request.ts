import { AppError } from '../../base/index.js';
import { JsonScanner, type JsonKind, type JsonValue, type JsonVisitor } from '../json/scanner.js';
import { MAX_JSON_DEPTH } from '../json/limits.js';
import { ACTED_KEYS, actedKeyOf, foldName, mayMatter, PROMPT_KEYS, type ActedKey } from './request-keys.js';

/** Bytes of a scalar that we act on: no name of a model or salt is longer. A longer one is there, and is not read. */
const MAX_SCALAR_BYTES = 4_096;
/** The fields that limit an answer, by API. */
const OUTPUT_LIMITS = [
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
  'n_predict',
  'num_predict',
  'options.num_predict',
] as const;

/** A range of a value, in bytes of the body. */
export interface ByteSpan {
  readonly start: number;
  readonly end: number;
  readonly kind: JsonKind;
}

/** The facts that a relay reads from a request's body. It reads nothing else. */
export interface RequestFacts {
  /** Undefined: absent, no string, or too long to be a name. */
  readonly model: string | undefined;
  /** Only `true` counts: if a runtime accepts another value as true, its answer shows it. */
  readonly stream: boolean;
  /** The client asked for the usage of a stream. */
  readonly includesUsage: boolean;
  /** Numbers, also those written as strings or booleans, which lenient runtimes read so. */
  readonly n: number | undefined;
  readonly bestOf: number | undefined;
  /** The largest of the limits that are there. */
  readonly maxOutputTokens: number | undefined;
  readonly cacheSalt: string | undefined;
  /** Bytes of the values that tokens are made of: no tokenizer makes more tokens of a text than it has bytes. */
  readonly promptBytes: number;
  /** Prompts or inputs in a list, each with its own answer; 1 without a list. */
  readonly promptCount: number;
  /** The values of `messages`, `prompt` or `input`, whichever comes first, and the end of its first and second item. */
  readonly conversation: (ByteSpan & { readonly itemEnds: readonly number[] }) | undefined;
  /** Where the values that we act on are. */
  readonly places: ReadonlyMap<ActedKey, ByteSpan>;
  /** Where `include_usage` of `stream_options` is, if present. */
  readonly includeUsage: ByteSpan | undefined;
  /** The root object: its brace, and whether it has members. */
  readonly root: ByteSpan & { readonly isEmpty: boolean };
  /** Whether `stream_options` has members. */
  readonly hasStreamOptions: boolean;
}

/**
 * The facts of a complete body. Errors: `request_not_json` if it is not a JSON object, nests deeper than the limit, or
 * is not UTF-8 where that matters. `request_key_ambiguous` for a key that we act on and that is repeated or in other
 * letters.
 */
export function scanRequest(body: Uint8Array): RequestFacts {
  const scan = new RequestScan();
  scan.write(body);
  return scan.end();
}

/** Bytes that are read in one turn of the event loop: of the densest JSON some 8 ms. */
const TURN_BYTES = 256 * 1024;

/** The same for a body of any size: it reads a large one in several turns of the event loop, so streams go on. */
export async function scanRequestInTurns(body: Uint8Array): Promise<RequestFacts> {
  const scan = new RequestScan();
  for (let at = 0; at < body.length; at += TURN_BYTES) {
    if (at > 0) await new Promise((resolve) => setImmediate(resolve));
    scan.write(body.subarray(at, at + TURN_BYTES));
  }
  return scan.end();
}

/** The same over a body that comes in pieces. */
export class RequestScan implements JsonVisitor {
  readonly #scanner = new JsonScanner(this);
  readonly #places = new Map<ActedKey, ByteSpan>();
  readonly #scalars = new Map<string, string>();
  #key: string | undefined;
  #nested: string | undefined;
  #rootStart = -1;
  #rootEnd = -1;
  #isEmpty = true;
  #hasStreamOptions = false;
  #includeUsage: ByteSpan | undefined;
  #promptBytes = 0;
  #promptCount = 1;
  #items = 0;
  #conversation: RequestFacts['conversation'];
  #itemEnds: number[] = [];

  /** Errors: those of `scanRequest`, as early as possible. */
  write(piece: Uint8Array): void {
    if (!this.#scanner.write(piece)) this.#refuse();
  }

  end(): RequestFacts {
    if (!this.#scanner.end()) this.#refuse();
    if (this.#rootEnd === -1) throw notJson('is not an object');
    const number = (key: string): number | undefined => toNumber(this.#scalars.get(key));
    const given = OUTPUT_LIMITS.map(number).filter((limit) => limit !== undefined);
    return {
      model: toText(this.#scalars.get('model')),
      stream: this.#scalars.get('stream') === 'true',
      includesUsage: this.#scalars.get('include_usage') === 'true',
      n: number('n'),
      bestOf: number('best_of'),
      maxOutputTokens: given.length === 0 ? undefined : Math.max(...given),
      cacheSalt: toText(this.#scalars.get('cache_salt')),
      promptBytes: this.#promptBytes,
      promptCount: Math.max(1, this.#promptCount),
      conversation: this.#conversation,
      places: this.#places,
      includeUsage: this.#includeUsage,
      root: { kind: 'object', start: this.#rootStart, end: this.#rootEnd, isEmpty: this.#isEmpty },
      hasStreamOptions: this.#hasStreamOptions,
    };
  }

  onName(depth: number, written: Uint8Array | undefined): void {
    if (depth === 1) {
      this.#isEmpty = false;
      const name = written === undefined ? '' : readName(written);
      this.#key = name === '' ? undefined : this.#take(name);
    } else if (this.#key === 'options') {
      if (depth === 2) this.#nested = written === undefined ? '' : readName(written);
    } else if (this.#key === 'stream_options') {
      const name = written === undefined ? '' : readName(written);
      this.#hasStreamOptions = true;
      this.#nested = name;
      if (foldName(name) !== 'include_usage') return;
      if (this.#includeUsage !== undefined || name !== 'include_usage') throw ambiguous('stream_options.include_usage');
      this.#includeUsage = { kind: 'null', start: 0, end: 0 };
    }
  }

  onStart(depth: number, kind: JsonKind, start: number): number {
    if (depth === 0) {
      if (kind !== 'object') throw notJson('is not an object');
      this.#rootStart = start;
    }
    if (depth === 1) {
      this.#nested = undefined;
      // Bodies may have many members that are not used.
      if (this.#key === undefined) return 0;
      this.#items = 0;
      this.#itemEnds = [];
      const isRead = !PROMPT_KEYS.includes(this.#key);
      return isRead && kind !== 'object' && kind !== 'array' ? MAX_SCALAR_BYTES : 0;
    }
    return depth === 2 && this.#isReadWithin() ? MAX_SCALAR_BYTES : 0;
  }

  /** Whether the member that is read is one of an object that we act on. */
  #isReadWithin(): boolean {
    if (this.#key === 'stream_options') return this.#nested === 'include_usage';
    return this.#key === 'options' && this.#nested === 'num_predict';
  }

  onValue({ depth, kind, start, end, bytes }: JsonValue): void {
    if (depth === 0) this.#rootEnd = end;
    else if (depth === 2) this.#onItem({ kind, start, end }, bytes);
    else if (this.#key !== undefined) {
      if (bytes !== undefined) this.#scalars.set(this.#key, readUtf8(bytes));
      if (isActed(this.#key)) this.#places.set(this.#key, { kind, start, end });
      if (PROMPT_KEYS.includes(this.#key)) this.#promptBytes += end - start;
      if (this.#key === 'messages' || this.#key === 'prompt' || this.#key === 'input') {
        this.#conversation ??= { kind, start, end, itemEnds: this.#itemEnds };
        if (this.#key !== 'messages') this.#promptCount = Math.max(this.#promptCount, this.#items);
      }
      this.#key = undefined;
    }
  }

  #onItem(place: ByteSpan, bytes: Uint8Array | undefined): void {
    if (this.#nested === 'num_predict' && bytes !== undefined)
      this.#scalars.set('options.num_predict', readUtf8(bytes));
    if (this.#nested === 'include_usage') {
      this.#includeUsage = place;
      if (bytes !== undefined) this.#scalars.set('include_usage', readUtf8(bytes));
    }
    if (this.#key === undefined) return;
    if (this.#itemEnds.length < 2) this.#itemEnds.push(place.end);
    // Numbers are the tokens of one prompt, objects the parts of one conversation.
    if (place.kind === 'string' || place.kind === 'array') this.#items++;
  }

  /** The key by its name, if it matters. */
  #take(name: string): string | undefined {
    const acted = actedKeyOf(name);
    if (acted === undefined) return PROMPT_KEYS.includes(name) ? name : undefined;
    if (acted !== name || this.#places.has(acted)) throw ambiguous(acted);
    this.#places.set(acted, { kind: 'null', start: 0, end: 0 });
    return acted;
  }

  #refuse(): never {
    const { at, why } = this.#scanner.failure ?? { at: 0, why: 'syntax' };
    throw notJson(why === 'depth' ? `nests deeper than ${MAX_JSON_DEPTH} levels` : `is not JSON: see byte ${at}`, at);
  }
}

function isActed(key: string | undefined): key is ActedKey {
  return ACTED_KEYS.some((acted) => acted === key);
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function readUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw notJson('is not UTF-8');
  }
}

/** A member's name; empty where it is plain and none that matters: bodies may have very many of those. */
function readName(written: Uint8Array): string {
  if (isPlain(written) && !mayMatter(written)) return '';
  const text = readUtf8(written);
  return text.includes('\\') ? String(JSON.parse(text)) : text.slice(1, -1);
}

function isPlain(written: Uint8Array): boolean {
  for (const byte of written) if (byte > 0x7f || byte === BACKSLASH) return false;
  return true;
}

const BACKSLASH = 0x5c;

function toText(written: string | undefined): string | undefined {
  return written?.startsWith('"') === true ? String(JSON.parse(written)) : undefined;
}

function toNumber(written: string | undefined): number | undefined {
  if (written === undefined || written === 'null') return undefined;
  const value = Number(toText(written) ?? JSON.parse(written));
  return Number.isFinite(value) ? value : undefined;
}

function notJson(what: string, at?: number): AppError {
  const message = `the body ${what}; send one JSON object`;
  return new AppError('request_not_json', message, at === undefined ? {} : { at });
}

function ambiguous(key: string): AppError {
  const message = `the body has the key ${key} twice or in other letters; send it once, as it is written here`;
  return new AppError('request_key_ambiguous', message, { key });
}
