import { present } from '../base/index.js';
import { LogitRow, ROW_BLOCK } from './logit-row.js';
import { cutByWeight } from './select.js';
import { positionScale, WEIGHTLESS, weightAt } from './softmax.js';
import { TokenTally } from './token-tally.js';

/**
 * Tokens that may still be chosen, in the order of their ids. Before anything was dropped they are the whole vocabulary,
 * without a list of it; blocks of the row in which no token can matter are passed over. Reused from step to step:
 * nothing is allocated while sampling. A slow twin in the tests gives the same tokens, bit for bit.
 */
export class Candidates {
  /** The logits, which may be changed until something was dropped. */
  readonly row: LogitRow;
  /** For samplers that look at the tokens so far. */
  readonly tally: TokenTally;
  /** Divides distances between logits when they become weights: in doubles, so that it makes no two of them equal. */
  temperature = 1;
  readonly #ids: Int32Array;
  readonly #blockWeights: Float64Array;
  readonly #bucketWeights = new Float64Array(WEIGHTLESS + 1);
  readonly #values: Float64Array;
  readonly #weights: Float64Array;
  /** Everything is a candidate: `#ids` is not filled. */
  #isWhole = true;
  #count = 0;

  constructor(vocabSize: number) {
    this.row = new LogitRow(vocabSize);
    this.tally = new TokenTally(vocabSize);
    this.#ids = new Int32Array(vocabSize);
    this.#blockWeights = new Float64Array(Math.ceil(vocabSize / ROW_BLOCK));
    this.#values = new Float64Array(vocabSize);
    this.#weights = new Float64Array(vocabSize);
  }

  /** Starts over with every token. `logits`: f32 [vocabSize], never written to. */
  reset(logits: Float32Array): void {
    this.row.reset(logits);
    this.temperature = 1;
    this.#isWhole = true;
    this.#count = logits.length;
  }

  get count(): number {
    return this.#count;
  }

  /** The ids in play; valid until the next change. */
  get ids(): Int32Array {
    if (this.#isWhole) this.keepAtLeast(-Infinity);
    return this.#ids.subarray(0, this.#count);
  }

  /** The largest logit in play. */
  get largest(): number {
    if (this.#isWhole) return this.row.max;
    const { values } = this.row;
    let largest = -Infinity;
    for (let i = 0; i < this.#count; i++) largest = Math.max(largest, values[this.#ids[i] as number] as number);
    return largest;
  }

  /** What all candidates weigh together: a whole number. */
  total(): number {
    const ids = this.#ids;
    const isWhole = this.#isWhole;
    const { max, values, blockMax } = this.row;
    const scale = positionScale(this.temperature);
    let total = 0;
    for (let from = 0, block = 0; from < this.#count; from += ROW_BLOCK, block++) {
      let sum = 0;
      if (!isWhole || (max - (blockMax[block] as number)) * scale < WEIGHTLESS) {
        const to = Math.min(from + ROW_BLOCK, this.#count);
        for (let i = from; i < to; i++) {
          sum += weightAt((max - (values[isWhole ? i : (ids[i] as number)] as number)) * scale);
        }
      }
      this.#blockWeights[block] = sum;
      total += sum;
    }
    return total;
  }

  /**
   * The expected position: how far from the likeliest the candidates lie on average, in steps of the table of weights.
   * Positions are surprises but for unit and origin, so it is the entropy but for the same.
   */
  meanPosition(): number {
    const { max, values } = this.row;
    const scale = positionScale(this.temperature);
    let sum = 0;
    let total = 0;
    const { ids } = this;
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i] as number;
      const position = (max - (values[id] as number)) * scale;
      const weight = weightAt(position);
      if (weight === 0) continue;
      sum += weight * position;
      total += weight;
    }
    return sum / total;
  }

  /** Keeps the likeliest, of equal ones the lowest id. Before anything was dropped. */
  keepBest(): void {
    this.#ids[0] = this.row.best;
    this.#isWhole = false;
    this.#count = 1;
  }

  /** Keeps those whose logit is at least `limit`. */
  keepAtLeast(limit: number): void {
    const ids = this.#ids;
    const isWhole = this.#isWhole;
    const { values, blockMax } = this.row;
    let kept = 0;
    for (let from = 0, block = 0; from < this.#count; from += ROW_BLOCK, block++) {
      if (isWhole && !((blockMax[block] as number) >= limit)) continue;
      const to = Math.min(from + ROW_BLOCK, this.#count);
      for (let i = from; i < to; i++) {
        const id = isWhole ? i : (ids[i] as number);
        if ((values[id] as number) >= limit) ids[kept++] = id;
      }
    }
    this.#isWhole = false;
    this.#count = kept;
  }

  /** Keeps the `limit` largest logits, of equal ones the lowest ids. */
  keepHeaviest(limit: number): void {
    if (limit >= this.#count) return;
    const { values, blockMax } = this.row;
    if (this.#isWhole && limit < blockMax.length) {
      // `limit` blocks reach the limit-th largest maximum, so as many tokens do: no smaller one can be kept.
      this.#values.set(blockMax);
      this.#weights.fill(1, 0, blockMax.length);
      this.keepAtLeast(cutByWeight(this.#values, this.#weights, blockMax.length, limit).value);
    }
    const { ids } = this;
    for (let i = 0; i < ids.length; i++) this.#values[i] = values[ids[i] as number] as number;
    this.#weights.fill(1, 0, ids.length);
    const cut = cutByWeight(this.#values, this.#weights, ids.length, limit);
    let ties = limit - cut.above;
    let kept = 0;
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i] as number;
      const logit = values[id] as number;
      if (logit > cut.value || (logit === cut.value && ties-- > 0)) this.#ids[kept++] = id;
    }
    this.#count = kept;
  }

  /**
   * Keeps the candidates whose position is nearest to `origin`, of equally near ones the lowest id first: the fewest that
   * have `share` of all the weight together, at least one. Sorts nothing: weights are summed by the whole part of the
   * distance, and only those at the cut are looked at one by one.
   */
  keepNearest(origin: number, share: number): void {
    const { max, values } = this.row;
    const scale = positionScale(this.temperature);
    const target = Math.max(1, share * this.#sumBuckets(origin));
    const buckets = this.#bucketWeights;
    let cutBucket = 0;
    let weighed = 0;
    while (weighed + (buckets[cutBucket] as number) < target) weighed += buckets[cutBucket++] as number;

    // Two steps further than needed: more than any rounding.
    this.keepAtLeast(max - (origin + cutBucket + 3) / scale);
    const { ids } = this;
    let edge = 0;
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i] as number;
      const position = (max - (values[id] as number)) * scale;
      const distance = Math.abs(position - origin);
      const weight = weightAt(position);
      if (Math.floor(distance) !== cutBucket || weight === 0) continue;
      this.#values[edge] = -distance;
      this.#weights[edge++] = weight;
    }
    const cut = cutByWeight(this.#values, this.#weights, edge, target - weighed);
    weighed += cut.above;
    let kept = 0;
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i] as number;
      const position = (max - (values[id] as number)) * scale;
      const nearness = -Math.abs(position - origin);
      const weight = weightAt(position);
      if (weight === 0 || nearness < cut.value) continue;
      if (nearness === cut.value) {
        if (weighed >= target) continue;
        weighed += weight;
      }
      this.#ids[kept++] = id;
    }
    this.#count = kept;
  }

  /** Drops those that weigh at least `limit` (above 0), but the least likely of them, of equal ones the highest id. */
  dropHeaviest(limit: number): void {
    const { max, values } = this.row;
    const scale = positionScale(this.temperature);
    const { ids } = this;
    let spared = -1;
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i] as number;
      const logit = values[id] as number;
      if (spared !== -1 && logit > (values[spared] as number)) continue;
      if (weightAt((max - logit) * scale) >= limit) spared = id;
    }
    if (spared === -1) return;
    const least = values[spared] as number;
    let kept = 0;
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i] as number;
      if (id === spared || (values[id] as number) < least) this.#ids[kept++] = id;
    }
    this.#count = kept;
  }

  /** Inverse transform sampling in the order of ids. uniform: in [0, 1). */
  draw(uniform: number): number {
    if (this.#count === 1 && !this.#isWhole) return present(this.#ids[0], 'one is left');
    const { max, values } = this.row;
    const scale = positionScale(this.temperature);
    let rest = uniform * this.total();
    let block = 0;
    while (rest >= (this.#blockWeights[block] as number)) rest -= this.#blockWeights[block++] as number;
    for (let i = block * ROW_BLOCK; ; i++) {
      const id = this.#isWhole ? i : present(this.#ids[i], 'what is drawn lies below the total');
      rest -= weightAt((max - (values[id] as number)) * scale);
      if (rest < 0) return id;
    }
  }

  /** Sums weights by the whole part of the distance from `origin`; returns what all weigh together. */
  #sumBuckets(origin: number): number {
    const buckets = this.#bucketWeights.fill(0);
    const ids = this.#ids;
    const isWhole = this.#isWhole;
    const { max, values, blockMax } = this.row;
    const scale = positionScale(this.temperature);
    let total = 0;
    for (let from = 0, block = 0; from < this.#count; from += ROW_BLOCK, block++) {
      if (isWhole && !((max - (blockMax[block] as number)) * scale < WEIGHTLESS)) continue;
      const to = Math.min(from + ROW_BLOCK, this.#count);
      for (let i = from; i < to; i++) {
        const position = (max - (values[isWhole ? i : (ids[i] as number)] as number)) * scale;
        if (!(position < WEIGHTLESS)) continue;
        const weight = weightAt(position);
        const bucket = Math.floor(Math.abs(position - origin));
        buckets[bucket] = (buckets[bucket] as number) + weight;
        total += weight;
      }
    }
    return total;
  }
}
