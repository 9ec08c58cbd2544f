import { assert } from '../../../base/index.js';
import type { Batch, DeviceCapacity } from '../../batch.js';
import type { Device, DeviceInit } from '../../device.js';
import { KV_BLOCK_TOKENS } from '../../kv-block.js';
import { createRow } from '../cpu/logits/row.js';

/** The argument for the engine's thread. Structured cloning shares the cache and copies the rest. */
export interface AdderInit extends DeviceInit {
  readonly capacity: DeviceCapacity;
  readonly vocabSize: number;
  readonly hiddenSize: number;
  /** i32 [kvBlocks, KV_BLOCK_TOKENS]: a token's "key and value" are its id, those of a given row its first value. */
  readonly cache: SharedArrayBuffer;
}

/** Opens the device in the engine's thread. */
export function openAdder(init: DeviceInit, beat: () => void): Device {
  assert(isAdderInit(init), 'a device is opened with what its own memory gives');
  const { capacity, vocabSize, hiddenSize } = init;
  const cache = new Int32Array(init.cache);
  // Of the last batch: the sum of each row's sequence up to it, and the rows whose logits are wanted.
  const sums = new Int32Array(capacity.maxRows);
  const logitRows = new Int32Array(capacity.maxSequences);
  const logits = Array.from({ length: capacity.maxSequences }, () => new Float32Array(vocabSize));
  const hidden = new Float32Array(hiddenSize);
  const logitsAt = (index: number): Float32Array => {
    const row = logits[index];
    assert(row !== undefined, 'a logit row of the batch');
    return row;
  };
  return {
    capacity,
    hostThreads: 1,
    // No `calibrate`: there is nothing to choose.
    run(batch) {
      write(batch, cache);
      beat();
      for (let row = 0; row < batch.rows; row++) sums[row] = sumBefore(batch, row, cache) % vocabSize;
      for (let i = 0; i < batch.numLogitRows; i++) {
        logitRows[i] = batch.logitRows[i] as number;
        const next = sums[logitRows[i] as number] as number;
        logits[i]?.fill(0).fill(1, next, next + 1);
      }
      beat();
    },
    copyBlock(from, to) {
      cache.copyWithin(to * KV_BLOCK_TOKENS, from * KV_BLOCK_TOKENS, (from + 1) * KV_BLOCK_TOKENS);
    },
    // Its graph may keep states of fixed size; the sum of a sequence needs none.
    copyState() {},
    logits: logitsAt,
    sample: (index, rule) => rule.choose(logitsAt(index)),
    hidden: (row) => hidden.fill(sums[row] as number),
    // Logits that lie in this process's memory are sampled here; a device may have a row of its own, beside its logits.
    row: createRow(vocabSize),
  };
}

/** All rows are written before any is read: a row sees those before it in the same batch. */
function write({ rows, slots, tokenIds, given }: Batch, cache: Int32Array): void {
  for (let row = 0; row < rows; row++) cache[slots[row] as number] = tokenIds[row] as number;
  for (const { row, values } of given) cache[slots[row] as number] = values[0] as number;
}

/** Replaces attention: sums all tokens of the row's sequence up to its own, found through its block table. */
function sumBefore({ positions, sequences, blockTables }: Batch, row: number, cache: Int32Array): number {
  const blocks = blockTables[sequences[row] as number] ?? [];
  let sum = 0;
  for (let position = 0; position <= (positions[row] as number); position++) {
    const block = blocks[Math.floor(position / KV_BLOCK_TOKENS)] as number;
    sum += cache[block * KV_BLOCK_TOKENS + (position % KV_BLOCK_TOKENS)] as number;
  }
  return sum;
}

function isAdderInit(init: DeviceInit): init is AdderInit {
  return 'cache' in init;
}
