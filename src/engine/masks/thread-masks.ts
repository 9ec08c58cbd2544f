import { openConsumer, openProducer, type RingConsumer, type RingProducer } from '../../actor/index.js';
import { present } from '../../base/index.js';
import {
  tooSlow,
  type GrammarWalk,
  type MaskMaker,
  type MaskOrder,
  type TokenMask,
  type WalkState,
} from '../../grammar/index.js';
import { dropRecord, MAX_STATE_WORDS, orderRecord, partsOf, readMask } from './mask-records.js';
import type { MaskRings } from './mask-rings.js';

/** Limit of the cached masks' bytes: 3,500 of 151,669 tokens. */
const MAX_KEPT_BYTES = 1 << 26;
/** Limit of the thread's grammars: mostly as many as concurrent answers. Each has tables of some MB there. */
const MAX_GRAMMARS = 32;
/** How long the engine sleeps before it checks a full ring again. */
const ROOM_MS = 1;

/** Masks from another thread, for an engine in the middle of a step. */
export interface MasksBeside extends MaskMaker {
  /** Takes the masks finished meanwhile. */
  poll(): void;
  /** Sleeps until another mask is finished, at most `timeoutMs`, and takes it. */
  wait(timeoutMs: number): void;
}

/** The state of one grammar. */
interface Known {
  readonly id: number;
  /** The table of the walk that the numbers of states refer to. */
  table: object;
  /** By state: the mask, finished or ordered. */
  readonly orders: Map<number, ThreadMask>;
}

/** The engine's end of its mask thread: ordered masks by number, and their results. */
export class ThreadMasks implements MasksBeside {
  readonly #records: RingProducer;
  readonly #masks: RingConsumer;
  /** The least recently used first. */
  readonly #grammars = new Map<GrammarWalk, Known>();
  readonly #ordered = new Map<number, ThreadMask>();
  #keptBytes = 0;
  #lastGrammar = 0;
  #lastOrder = 0;

  constructor({ orders, masks }: MaskRings) {
    this.#records = openProducer(orders);
    this.#masks = openConsumer(masks);
  }

  order(state: WalkState): MaskOrder {
    const known = this.#know(state.walk);
    const place = state.locate();
    if (known.table !== place.table) known.orders.clear();
    known.table = place.table;
    const before = known.orders.get(place.state);
    if (before !== undefined) return before;
    const order = new ThreadMask();
    known.orders.set(place.state, order);
    const words = state.toWords();
    if (words.length > MAX_STATE_WORDS) {
      order.settle(undefined);
      return order;
    }
    // Numbers of pending orders differ: far fewer are pending than there are numbers.
    this.#lastOrder = (this.#lastOrder + 1) & 0x3fffffff;
    this.#ordered.set(this.#lastOrder, order);
    this.#write(orderRecord(known.id, this.#lastOrder, words));
    return order;
  }

  poll(): void {
    this.#masks.drain((record) => {
      const { orderId, mask } = readMask(record);
      present(this.#ordered.get(orderId), 'what is made was ordered').settle(mask);
      this.#ordered.delete(orderId);
      this.#keptBytes += mask?.byteLength ?? 0;
    });
    if (this.#keptBytes <= MAX_KEPT_BYTES) return;
    for (const { orders } of this.#grammars.values()) orders.clear();
    this.#keptBytes = 0;
  }

  wait(timeoutMs: number): void {
    this.#masks.waitSync(timeoutMs);
    this.poll();
  }

  /** The grammar of a walk, sent to the thread if it lacks it. */
  #know(walk: GrammarWalk): Known {
    const before = this.#grammars.get(walk);
    const known = before ?? { id: ++this.#lastGrammar, table: walk.table, orders: new Map<number, ThreadMask>() };
    this.#grammars.delete(walk);
    this.#grammars.set(walk, known);
    if (before !== undefined) return before;
    const [oldest] = this.#grammars;
    if (this.#grammars.size > MAX_GRAMMARS && oldest !== undefined) {
      this.#grammars.delete(oldest[0]);
      this.#write(dropRecord(oldest[1].id));
    }
    for (const part of partsOf(known.id, walk.reader.grammar)) this.#write(part);
    return known;
  }

  /** A closed ring belongs to an engine that is ending. */
  #write(record: Uint8Array | readonly Uint8Array[]): void {
    while (!this.#records.closed && !this.#records.tryWrite(record)) {
      this.poll();
      this.#records.waitSync(ROOM_MS);
    }
  }
}

/** An ordered mask. */
class ThreadMask implements MaskOrder {
  isReady = false;
  #mask: TokenMask | undefined;

  /** Sets the result; without a mask it exceeded its limit. */
  settle(mask: TokenMask | undefined): void {
    this.#mask = mask;
    this.isReady = true;
  }

  get mask(): TokenMask {
    if (this.#mask === undefined) throw tooSlow();
    return this.#mask;
  }
}
