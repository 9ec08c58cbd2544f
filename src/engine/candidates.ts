import { present } from '../base/index.js';
import type { Row } from '../compute/index.js';
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
  readonly #memory: Row;
  /** Blocks without a logit as large hold no candidate: set before they are weighed, so that most need not be. */
  #floor = -Infinity;
  /** What all weigh together; undefined before they are weighed. */
  #total: number | undefined;
  /** As what a token counts at most in the table by halvings; undefined where that is not of what is left. */
  #tableCap: number | undefined;
  /** The only token left, where that is known without weighing. */
  #only: number | undefined;

  constructor(row: Row) {
    this.#memory = row;
    this.row = new LogitRow(row);
    this.tally = new TokenTally(row.vocabSize);
  }

  /** Starts over with every token. `logits`: f32 [vocabSize], never written to. */
  reset(logits: Float32Array): void {
    this.row.reset(logits);
    this.temperature = 1;
    this.#floor = -Infinity;
    this.#total = undefined;
    this.#tableCap = undefined;
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
    this.#keepNearest(0, 1, count);
  }

  /** Keeps the fewest of the likeliest, of equal ones the lowest ids, that have `share` of all the weight; at least one. */
  keepLikeliest(share: number): void {
    this.#keepNearest(0, HEAVIEST, Math.max(1, share * this.#weigh()));
  }

  /**
   * Keeps the fewest whose halvings are nearest to the expected ones, of equally near ones the lowest ids, that have
   * `share` of all the weight; at least one. Halvings are surprises but for unit and origin.
   */
  keepTypical(share: number): void {
    const total = this.#weigh();
    const expected = this.#memory.blockSum('blockHalvings', this.row.max, halvingScale(this.temperature)) / total;
    this.#keepNearest(Math.fround(expected), HEAVIEST, Math.max(1, share * total));
  }

  /** Keeps those that weigh at least `share` (above 0) of the heaviest. */
  keepLarge(share: number): void {
    this.#spareBeyond(-Math.log2(share));
    this.#weigh();
    this.#keepWeights(Math.fround(share * this.#memory.most('heaviest')), Infinity);
  }

  /** Drops those that have at least `share` of all the weight, but the lightest of them, of equal ones the highest id. */
  dropLarge(share: number): void {
    const { weights, blockWeights, blockSize } = this.#memory;
    const limit = Math.fround(Math.max(1, share * this.#weigh()));
    const id = this.#lightestFrom(limit);
    if (id === -1) return;
    const weight = weights[id] as number;
    const rest = this.#keepWeights(0, limit);
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
    return Math.log(this.#memory.blockSum('blockMasses', this.row.max, halvingScale(1)) / HEAVIEST);
  }

  /** Spares the weighing of tokens that the caller will drop: those of more halvings, by more than any rounding. */
  #spareBeyond(halvings: number): void {
    const limit = this.row.max - (1.0001 * halvings + 1e-4) / halvingScale(this.temperature);
    this.#floor = Math.max(this.#floor, limit);
  }

  /** What all candidates weigh together: a whole number. */
  #weigh(): number {
    this.#total ??= this.#memory.sum('weigh', this.row.max, halvingScale(this.temperature), this.#floor);
    return this.#total;
  }

  /** Drops those that weigh less than `lightest`, and those that weigh `below` or more. Returns what the others weigh. */
  #keepWeights(lightest: number, below: number): number {
    this.#tableCap = undefined;
    return (this.#total = this.#memory.sum('keepWeights', lightest, below));
  }

  /** The lightest that weighs at least `limit` (above 0), of equal ones the highest id; −1 where none does. */
  #lightestFrom(limit: number): number {
    const { weights } = this.#memory;
    const parts = this.#memory.run('lightestFrom', limit);
    let lightest = -1;
    for (let part = 0; part < parts; part++) {
      const id = this.#memory.result(part);
      if (id !== -1 && (lightest === -1 || (weights[id] as number) <= (weights[lightest] as number))) lightest = id;
    }
    return lightest;
  }

  /**
   * Keeps the candidates nearest to `origin`, in halvings, that reach `target` when each counts as its weight, but at most
   * as `cap`. Sorts nothing: they are summed by halvings in buckets, and only those of a few buckets are looked at.
   */
  #keepNearest(origin: number, cap: number, target: number): void {
    const { kernels, at, size, finals, finalMasses } = this.#memory;
    const { max } = this.row;
    const scale = halvingScale(this.temperature);
    const isCounted = this.#tableCap === cap;
    const parts = isCounted ? 1 : this.#memory.run('countByHalvings', max, scale, cap);
    this.#tableCap = cap;
    const reach = kernels.findCut(at, size, origin, target, parts);
    const bucket = 1 / kernels.bucketsAHalving(size);
    const [near, far] = [(reach - 2) * bucket, (reach + 1) * bucket];
    const count = this.#memory.keepNear(max, scale, origin, near, far);
    const numFinals = kernels.findFinals(at, size, origin, cap, count, reach, near, far, target);
    const missing = target - kernels.reached(at, size);
    const { value, above } = cutByWeight(finals, finalMasses, numFinals, missing);
    this.#total = kernels.dropListed(at, size, origin, cap, count, -value, missing - above);
  }
}
