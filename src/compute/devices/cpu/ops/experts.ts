import { present } from '../../../../base/index.js';
import { paddedRows } from '../../../../weights/index.js';
import type { ExpertsOp } from '../../../ops/index.js';
import { tileRows } from '../memory/memory-plan.js';
import type { BoundOp, ThreadView } from '../threads/thread-view.js';
import { shareUnits } from './shared-product.js';

/**
 * The chosen experts of each row. A row and one of its experts are a pair. Pairs are sorted by expert, so an expert's weights
 * are read once for its rows of a tile. The outputs of a tile are then added to the rows that they are of, in the order of
 * the experts: a row has the same bits in any company.
 */
export function experts(op: ExpertsOp, segment: number, view: ThreadView): BoundOp {
  const { kernels, memory, at, scratch } = view.segment(segment);
  const { strides, capacity } = view.plan;
  const { hiddenSize, experts: sizes } = view.graph;
  const { count, width } = present(sizes, 'a graph with experts');
  const tile = tileRows(capacity);
  const gateUnits = paddedRows(width) / 8;
  const outUnits = paddedRows(hiddenSize) / 8;
  const prepareHidden = view.prepare(segment, scratch.gathered, strides.hidden, op.norm, op.up);
  const prepareGates = view.prepare(segment, at.expertGate, strides.expertGate, undefined, op.down);
  const gate = view.multiply(segment, op.up, undefined, `${op.activation}Gate`, strides.hidden);
  const down = view.multiply(segment, op.down, undefined, 'store', strides.expertGate);
  const floats = new Float32Array(memory);
  const tileIndices = new Int32Array(memory, scratch.expertRows, tile);
  const pairs = new ExpertPairs(op, count, capacity.maxRows);
  const [outWidth, branchWidth] = [strides.expertOut / 4, strides.branch / 4];

  return ({ rows }) => {
    const mine = view.share(rows);
    floats.fill(0, (at.branch + mine.start * strides.branch) / 4, (at.branch + mine.end * strides.branch) / 4);
    pairs.choose(floats.subarray(at.scores / 4), strides.scores / 4, rows);
    for (let first = 0; first < pairs.count; first += tile) {
      // Another thread may still read what this one prepared for the tile before.
      if (first > 0) view.barrier();
      const length = Math.min(tile, pairs.count - first);
      tileIndices.set(pairs.rows.subarray(first, first + length));
      kernels.gatherRows(
        scratch.gathered,
        strides.hidden,
        at.hidden,
        strides.hidden,
        scratch.expertRows,
        strides.hidden / 4,
        length,
      );
      const runs = pairs.runs(first, length);
      const hidden = prepareHidden(0, length);
      shareUnits(view, gateUnits, length * 2 * width * hiddenSize, (start, end) => {
        for (const { expert, from, to } of runs) {
          const out = at.expertGate + from * strides.expertGate;
          gate(out, strides.expertGate, hidden, to - from, 2 * start, 2 * end, from, expert * 2 * gateUnits);
        }
      });
      view.barrier();
      const gates = prepareGates(0, length);
      shareUnits(view, outUnits, length * width * hiddenSize, (start, end) => {
        for (const { expert, from, to } of runs) {
          const out = at.expertOut + from * strides.expertOut;
          down(out, strides.expertOut, gates, to - from, start, end, from, expert * outUnits);
        }
        for (let pair = 0; pair < length; pair++) {
          const weight = pairs.weights[first + pair] as number;
          const to = at.branch / 4 + (tileIndices[pair] as number) * branchWidth;
          const from = at.expertOut / 4 + pair * outWidth;
          for (let i = start * 8; i < end * 8; i++) {
            floats[to + i] = (floats[to + i] as number) + weight * (floats[from + i] as number);
          }
        }
      });
    }
  };
}

/** Pairs of one expert that follow each other in a tile, [from, to). */
interface Run {
  readonly expert: number;
  readonly from: number;
  readonly to: number;
}

/** The experts of each row by its scores. Every thread chooses for all rows: that costs less than a barrier. */
class ExpertPairs {
  readonly #op: ExpertsOp;
  readonly #numExperts: number;
  /** Of each pair, by row: its expert and its weight. */
  readonly #chosen: Int32Array;
  readonly #chosenWeights: Float32Array;
  /** Where the pairs of each expert begin; its last place is their number. */
  readonly #starts: Int32Array;
  /** Of each pair, by expert: its row and its weight. */
  readonly rows: Int32Array;
  readonly weights: Float32Array;
  count = 0;

  constructor(op: ExpertsOp, numExperts: number, maxRows: number) {
    this.#op = op;
    this.#numExperts = numExperts;
    const most = maxRows * op.chosen;
    this.#chosen = new Int32Array(most);
    this.#chosenWeights = new Float32Array(most);
    this.#starts = new Int32Array(numExperts + 1);
    this.rows = new Int32Array(most);
    this.weights = new Float32Array(most);
  }

  /** `scores`: f32 [rows, stride]. */
  choose(scores: Float32Array, stride: number, rows: number): void {
    const { chosen } = this.#op;
    this.count = rows * chosen;
    this.#starts.fill(0);
    for (let row = 0; row < rows; row++) {
      this.#chooseFor(scores.subarray(row * stride, row * stride + this.#numExperts), row * chosen);
    }
    const starts = this.#starts;
    for (let pair = 0; pair < this.count; pair++) {
      const next = (this.#chosen[pair] as number) + 1;
      starts[next] = (starts[next] as number) + 1;
    }
    for (let expert = 0; expert < this.#numExperts; expert++) {
      starts[expert + 1] = (starts[expert + 1] as number) + (starts[expert] as number);
    }
    const places = starts.slice();
    for (let pair = 0; pair < this.count; pair++) {
      const expert = this.#chosen[pair] as number;
      const place = places[expert] as number;
      places[expert] = place + 1;
      this.rows[place] = Math.floor(pair / chosen);
      this.weights[place] = this.#chosenWeights[pair] as number;
    }
  }

  /** The pairs [first, first + length), by expert; places are counted from `first`. */
  runs(first: number, length: number): readonly Run[] {
    const runs: Run[] = [];
    for (let expert = 0; expert < this.#numExperts; expert++) {
      const from = Math.max(0, (this.#starts[expert] as number) - first);
      const to = Math.min(length, (this.#starts[expert + 1] as number) - first);
      if (from < to) runs.push({ expert, from, to });
    }
    return runs;
  }

  /** Writes the chosen experts of one row, and their weights, from place `at` on. */
  #chooseFor(scores: Float32Array, at: number): void {
    const { chosen, isRenormalised } = this.#op;
    const list = this.#chosen.subarray(at, at + chosen);
    let taken = 0;
    for (let expert = 0; expert < scores.length; expert++) {
      const score = scores[expert] as number;
      if (taken === chosen && !(score > (scores[list[taken - 1] as number] as number))) continue;
      let place = taken === chosen ? taken - 1 : taken;
      for (; place > 0 && score > (scores[list[place - 1] as number] as number); place--) {
        list[place] = list[place - 1] as number;
      }
      list[place] = expert;
      if (taken < chosen) taken++;
    }
    const largest = scores[list[0] as number] as number;
    let total = 0;
    if (isRenormalised) for (const expert of list) total += Math.exp((scores[expert] as number) - largest);
    else for (const score of scores) total += Math.exp(score - largest);
    for (let i = 0; i < chosen; i++) {
      this.#chosenWeights[at + i] = Math.exp((scores[list[i] as number] as number) - largest) / total;
    }
  }
}
