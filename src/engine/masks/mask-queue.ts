import { isAppError, present } from '../../base/index.js';
import {
  GrammarWalk,
  MASK_UNITS,
  openVocabulary,
  type GrammarVocabulary,
  type Paused,
  type TokenMask,
} from '../../grammar/index.js';
import { grammarFromBytes, maskRecord, readRecord, type MaskRecord } from './mask-records.js';

/** Units of work done at once: some 2 ms, after which the mask of another text has its turn. */
const TURN_UNITS = 1 << 18;

/** A mask under construction. */
interface MaskTask {
  readonly orderId: number;
  readonly walk: GrammarWalk;
  readonly work: Paused<TokenMask>;
  /** Units left of its limit. */
  left: number;
}

/** Takes a finished mask; undefined when it exceeded its limit. */
export type Deliver = (orderId: number, mask: TokenMask | undefined) => void;

/** The queue of a thread with the vocabulary of `toBytes`. `deliver` takes the records of finished masks. */
export function openMaskQueue(vocabulary: Uint8Array, deliver: (record: readonly Uint8Array[]) => void): MaskQueue {
  return new MaskQueue(openVocabulary(vocabulary), (orderId, mask) => deliver(maskRecord(orderId, mask)));
}

/**
 * Masks to make, with turns among many texts. A new mask has a turn at once, which is enough for all but hostile
 * grammars. Unfinished ones are completed one after the other. So only one at a time fills memory, and a new mask waits
 * for one turn at most.
 */
export class MaskQueue {
  readonly #vocabulary: GrammarVocabulary;
  readonly #deliver: Deliver;
  readonly #parts = new Map<number, Uint8Array>();
  readonly #walks = new Map<number, GrammarWalk>();
  /** Tasks without a turn so far. */
  readonly #fresh: MaskTask[] = [];
  /** Tasks whose first turn was not enough. */
  readonly #slow: MaskTask[] = [];

  constructor(vocabulary: GrammarVocabulary, deliver: Deliver) {
    this.#vocabulary = vocabulary;
    this.#deliver = deliver;
  }

  get hasWork(): boolean {
    return this.#fresh.length + this.#slow.length > 0;
  }

  /** Takes a record of the engine. */
  take(record: Uint8Array): void {
    const read = readRecord(record);
    if (read.kind === 'part') this.#takePart(read);
    else if (read.kind === 'drop') this.#walks.delete(read.grammarId);
    else this.#fresh.push(this.#toTask(read));
  }

  /** One turn of one mask. */
  turn(): void {
    const task = this.#fresh.shift() ?? this.#slow[0];
    if (task === undefined) return;
    const isSlow = task === this.#slow[0];
    const isOver = this.#work(task);
    if (isOver && isSlow) this.#slow.shift();
    if (!isOver && !isSlow) this.#slow.push(task);
  }

  /** Works on `task`; returns whether it is over. */
  #work(task: MaskTask): boolean {
    const { meter } = task.walk;
    meter.left = task.left;
    meter.pauseAt = task.left - TURN_UNITS;
    try {
      const { done, value } = task.work.next();
      task.left = meter.left;
      if (done !== true) return false;
      this.#deliver(task.orderId, value);
    } catch (error) {
      if (!isAppError(error) || error.code !== 'grammar_too_slow') throw error;
      this.#deliver(task.orderId, undefined);
    }
    return true;
  }

  #toTask({ orderId, grammarId, state }: Extract<MaskRecord, { kind: 'order' }>): MaskTask {
    const walk = present(this.#walks.get(grammarId), 'a grammar comes before its orders');
    return { orderId, walk, work: this.#make(walk, state), left: MASK_UNITS };
  }

  *#make(walk: GrammarWalk, state: Int32Array): Paused<TokenMask> {
    return yield* this.#vocabulary.make(walk.fromWords(state));
  }

  #takePart({ grammarId, size, at, bytes }: Extract<MaskRecord, { kind: 'part' }>): void {
    const whole = this.#parts.get(grammarId) ?? new Uint8Array(size);
    whole.set(bytes, at);
    this.#parts.set(grammarId, whole);
    if (at + bytes.length < size) return;
    this.#parts.delete(grammarId);
    this.#walks.set(grammarId, new GrammarWalk(grammarFromBytes(whole)));
  }
}
