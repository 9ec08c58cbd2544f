import { present } from '../base/index.js';
import { createRowMemory, type RowMemory } from '../compute/index.js';
import { LogitRow } from './logit-row.js';
import { cutByWeight } from './select.js';
import { halvingScale, HEAVIEST } from './softmax.js';
import { TokenTally } from './token-tally.js';

/**
 * Tokens that may still be chosen: those that weigh something. They are weighed when the first of them is dropped or one
 * is drawn; to drop a token is to make its weight 0. The kernels pass over blocks in which nothing weighs. Reused from
 * step to step: nothing is allocated while sampling. A slow twin in the tests gives the same tokens, bit for bit.
 */
export class Candidates {
  /** The logits, which may be changed until something was dropped. */
  readonly row: LogitRow;
  /** For samplers that look at the tokens so far. */
  readonly tally: TokenTally;
  /** Divides distances between logits when they become weights. */
  temperature = 1;
  readonly #memory: RowMemory;
  /** Tokens whose logit is less are not candidates: set before they are weighed, so that most blocks need not be. */
  #floor = -Infinity;
  /** What all weigh together; undefined before they are weighed. */
  #total: number | undefined;
  /** The only token left, where that is known without weighing. */
  #only: number | undefined;

  constructor(vocabSize: number) {
    this.#memory = createRowMemory(vocabSize);
    this.row = new LogitRow(this.#memory);
    this.tally = new TokenTally(vocabSize);
  }

  /** Starts over with every token. `logits`: f32 [vocabSize], never written to. */
  reset(logits: Float32Array): void {
    this.row.reset(logits);
    this.temperature = 1;
    this.#floor = -Infinity;
    this.#total = undefined;
    this.#only = undefined;
  }

  /** Keeps the likeliest, of equal ones the lowest id. Before anything was dropped. */
  keepBest(): void {
    this.#only = this.row.best;
  }

  /** Keeps the `count` likeliest, of equal ones the lowest ids. */
  keepHeaviest(count: number): void {
    if (count >= this.row.vocabSize) return;
    this.#spareBeyond((this.row.max - this.row.reachedBy(count)) * halvingScale(this.temperature));
    this.#weigh();
    this.#keepNearest(0, { cap: 1, least: 1, target: count });
  }

  /** Keeps the fewest of the likeliest, of equal ones the lowest ids, that have `share` of all the weight; at least one. */
  keepLikeliest(share: number): void {
    const total = this.#weigh();
    // Tokens lighter than that do not have the rest together, all of them, so that none is needed; halved: not by a rounding.
    const least = Math.max(1, ((1 - share) * total) / (2 * this.#memory.size));
    this.#keepNearest(0, { cap: HEAVIEST, least, target: Math.max(1, share * total) });
  }

  /**
   * Keeps the fewest whose halvings are nearest to the expected ones, of equally near ones the lowest ids, that have
   * `share` of all the weight; at least one. Halvings are surprises but for unit and origin.
   */
  keepTypical(share: number): void {
    const { kernels, size } = this.#memory;
    const total = this.#weigh();
    const expected = kernels.weightedHalvings(size, this.row.max, halvingScale(this.temperature)) / total;
    this.#keepNearest(Math.fround(expected), { cap: HEAVIEST, least: 1, target: Math.max(1, share * total) });
  }

  /** Keeps those that weigh at least `share` (above 0) of the heaviest. */
  keepLarge(share: number): void {
    const { kernels, size } = this.#memory;
    this.#spareBeyond(-Math.log2(share));
    this.#weigh();
    this.#total = kernels.keepWeights(size, Math.fround(share * kernels.heaviest(size)), Infinity);
  }

  /** Drops those that have at least `share` of all the weight, but the lightest of them, of equal ones the highest id. */
  dropLarge(share: number): void {
    const { kernels, size, weights, blockWeights, blockSize } = this.#memory;
    const limit = Math.fround(Math.max(1, share * this.#weigh()));
    const id = kernels.lightestFrom(size, limit);
    if (id === -1) return;
    const weight = weights[id] as number;
    const rest = kernels.keepWeights(size, 0, limit);
    const block = Math.floor(id / blockSize);
    weights[id] = weight;
    blockWeights[block] = (blockWeights[block] as number) + weight;
    this.#total = rest + weight;
  }

  /** Inverse transform sampling in the order of ids. uniform: in [0, 1). */
  draw(uniform: number): number {
    if (this.#only !== undefined) return this.#only;
    const { blockSize, blockWeights, weights } = this.#memory;
    let rest = uniform * this.#weigh();
    let block = 0;
    while (rest >= (blockWeights[block] as number)) rest -= blockWeights[block++] as number;
    for (let id = block * blockSize; ; id++) {
      rest -= present(weights[id], 'what is drawn lies below the total');
      if (rest < 0) return id;
    }
  }

  /** Of the logits themselves, at temperature 1: the logarithm of all that weighs, before anything is rounded. */
  logMass(): number {
    const { kernels, size } = this.#memory;
    return Math.log(kernels.totalMass(size, this.row.max, halvingScale(1)) / HEAVIEST);
  }

  /** Spares the weighing of tokens that the caller will drop: those of more halvings, by more than any rounding. */
  #spareBeyond(halvings: number): void {
    const limit = this.row.max - (1.0001 * halvings + 1e-4) / halvingScale(this.temperature);
    this.#floor = Math.max(this.#floor, limit);
  }

  /** What all candidates weigh together: a whole number. */
  #weigh(): number {
    const { kernels, size } = this.#memory;
    this.#total ??= kernels.weigh(size, this.row.max, halvingScale(this.temperature), this.#floor);
    return this.#total;
  }

  /**
   * Keeps the candidates nearest to `origin`, in halvings, that reach `target` when each counts as its weight, but at most
   * as `cap`. Sorts nothing: they are summed by distance in buckets, and only those of one bucket are looked at.
   */
  #keepNearest(origin: number, { cap, least, target }: { cap: number; least: number; target: number }): void {
    const { kernels, size, list, listMasses } = this.#memory;
    const { max } = this.row;
    const scale = halvingScale(this.temperature);
    const bucket = kernels.cutBucket(size, max, scale, origin, cap, least, target);
    const nearer = kernels.reached();
    const count = kernels.keepBuckets(size, max, scale, origin, cap, least, bucket);
    const { value, above } = cutByWeight(list, listMasses, count, target - nearer);
    this.#total = kernels.dropListed(size, max, scale, origin, cap, count, -value, target - nearer - above);
  }
}
