import { JsonScanner, type JsonVisitor } from '../json/scanner.js';
import { isErrorAnswer } from './answer-error.js';
import { usageOf, type ApiDialect } from './dialect.js';
import { JsonWalk } from './json-walk.js';
import type { TokenCounter } from './token-counter.js';

/** The values of the scanner are not used. */
const unheard: JsonVisitor = { onName: () => {}, onStart: () => 0, onValue: () => {} };

/** Reads a whole answer of JSON piece by piece for its usage and its text. */
export class JsonAnswer {
  readonly #scanner = new JsonScanner(unheard);
  readonly #walk: JsonWalk;
  readonly #meter: TokenCounter;
  readonly #dialect: ApiDialect;
  #bytes = 0;
  #isTold = false;
  #isOver = false;

  constructor(meter: TokenCounter, dialect: ApiDialect) {
    this.#meter = meter;
    this.#dialect = dialect;
    this.#walk = new JsonWalk(dialect.whole, meter.texts);
  }

  /** Whether the JSON text was read to its end. */
  get isWhole(): boolean {
    return this.#scanner.isWhole;
  }

  write(piece: Uint8Array): void {
    this.#bytes += piece.length;
    if (this.#scanner.write(piece)) this.#walk.write(piece);
    if (this.#scanner.isWhole) this.#tell();
  }

  /** The answer is over. An answer that is not JSON counts by its bytes; a cut one by its received part. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#tell();
    if (this.#scanner.end() || this.#isTold || this.#meter.texts.hundredths > 0) return;
    this.#meter.countUnread(this.#bytes);
  }

  /** Reports the usage and the error of the answer. */
  #tell(): void {
    if (this.#isTold) return;
    const kept = this.#walk.kept();
    if (isErrorAnswer(kept)) this.#meter.tellError();
    const told = usageOf(this.#dialect, kept);
    if (told === undefined) return;
    this.#isTold = true;
    this.#meter.tell(told, true, true);
  }
}
