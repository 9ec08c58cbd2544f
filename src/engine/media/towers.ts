import { present } from '../../base/index.js';
import { createBatch, KV_BLOCK_TOKENS, type Batch, type Device } from '../../compute/index.js';
import { nameOfRows, type MediaItem } from '../request.js';

/** Limit of the kept rows' bytes: 100 images of 256 rows of 2,560 floats. */
const MAX_KEPT_BYTES = 1 << 28;

/**
 * The encoders that run before a model: graphs of their own, on devices of their own, whose rows enter as given rows and
 * leave as hidden states. Results are kept, the most recently used, for later prompts of the same scope with the same
 * item: a quick answer would tell another scope that the item had been there.
 */
export class Towers {
  readonly #towers: ReadonlyMap<string, { readonly device: Device; readonly batch: Batch }>;
  readonly #kept = new Map<string, Float32Array>();
  #keptBytes = 0;

  constructor(devices: ReadonlyMap<string, Device>) {
    this.#towers = new Map([...devices].map(([name, device]) => [name, { device, batch: createBatch(device) }]));
  }

  /** The rows of an item, f32 [rows, hiddenSize of the model]: its own values, or what its tower makes of them. */
  rowsOf(item: MediaItem, cacheScope = ''): Float32Array {
    const { tower, values } = item;
    if (tower === undefined) return values;
    const name = `${cacheScope} ${nameOfRows(item)}`;
    const made = this.#kept.get(name) ?? this.#run(item, tower);
    if (!this.#kept.delete(name)) this.#keptBytes += made.byteLength;
    this.#kept.set(name, made);
    for (const [oldest, { byteLength }] of this.#kept) {
      if (this.#keptBytes <= MAX_KEPT_BYTES || oldest === name) break;
      this.#kept.delete(oldest);
      this.#keptBytes -= byteLength;
    }
    return made;
  }

  /** One item, alone from its first position on; the blocks and the state of its tower are its own for so long. */
  #run({ rows, values }: MediaItem, name: string): Float32Array {
    const { device, batch } = present(this.#towers.get(name), 'requests name towers that there are');
    const width = values.length / rows;
    const blocks = Array.from({ length: Math.ceil(rows / KV_BLOCK_TOKENS) }, (_, block) => block);
    for (const kv of [batch, ...batch.windows]) kv.blockTables = [blocks];
    if (device.capacity.stateSlots > 0) device.copyState(undefined, 0);
    batch.states = [0];
    let made: Float32Array | undefined;
    for (let start = 0; start < rows; start += batch.rows) {
      batch.rows = Math.min(rows - start, device.capacity.maxRows);
      batch.given.length = 0;
      for (let row = 0; row < batch.rows; row++) {
        const position = start + row;
        batch.given.push({ row, values: values.subarray(position * width, (position + 1) * width) });
        batch.positions[row] = position;
        for (const { slots } of [batch, ...batch.windows]) slots[row] = position;
      }
      device.run(batch);
      for (let row = 0; row < batch.rows; row++) {
        const hidden = device.hidden(row);
        made ??= new Float32Array(rows * hidden.length);
        made.set(hidden, (start + row) * hidden.length);
      }
    }
    return present(made, 'an item has rows');
  }
}
