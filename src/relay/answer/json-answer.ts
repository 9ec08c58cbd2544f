import { JsonScanner, type JsonKind, type JsonValue, type JsonVisitor } from '../json/scanner.js';
import type { Dialect } from './dialect.js';
import type { Meter } from './meter.js';
import { readUsage } from './usage.js';

/** Bytes of a `usage` object that are read. The largest known has some 600. */
const MAX_USAGE_BYTES = 16 * 1024;

/** Reads a whole answer of JSON piece by piece for its usage. */
export class JsonAnswer implements JsonVisitor {
  readonly #scanner = new JsonScanner(this);
  readonly #meter: Meter;
  readonly #dialect: Dialect;
  #key = '';
  #bytes = 0;
  /** Usage or text was found. */
  #isCounted = false;

  constructor(meter: Meter, dialect: Dialect) {
    this.#meter = meter;
    this.#dialect = dialect;
  }

  /** Whether the JSON text was read to its end. */
  get isWhole(): boolean {
    return this.#scanner.isWhole;
  }

  write(piece: Uint8Array): void {
    this.#bytes += piece.length;
    this.#scanner.write(piece);
  }

  /** The answer is over: one that was cut off, or is no JSON, counts by its bytes. */
  end(): void {
    if (this.#scanner.end() || this.#isCounted || this.#dialect.bodyKeys.length === 0) return;
    this.#isCounted = true;
    this.#meter.countText(this.#bytes);
  }

  onName(depth: number, written: Uint8Array | undefined): void {
    if (depth === 1) this.#key = written === undefined ? '' : Buffer.from(written).toString('latin1').slice(1, -1);
  }

  onStart(depth: number, kind: JsonKind): number {
    return depth === 1 && kind === 'object' && this.#key === 'usage' ? MAX_USAGE_BYTES : 0;
  }

  onValue({ depth, start, end, bytes }: JsonValue): void {
    if (depth !== 1) return;
    const isText = this.#dialect.bodyKeys.includes(this.#key);
    if (isText) this.#meter.countText(end - start);
    const told = bytes === undefined ? undefined : readUsage(JSON.parse(Buffer.from(bytes).toString('utf8')));
    if (told !== undefined) this.#meter.tell(told, true);
    this.#isCounted ||= isText || told !== undefined;
  }
}
