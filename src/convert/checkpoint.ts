import type { Chat, Generation, Manifest } from '../artifact/index.js';
import type { WeightSpec } from '../model/index.js';
import type { QuantName, TensorSource } from '../weights/index.js';
import type { JsonObject } from './checkpoint-files.js';

/** Tensors under the names of the weight table. */
export interface WeightSource extends TensorSource {
  /**
   * Fills `out` with the stored bytes of whole rows of a matrix, from row `startRow` on. Absent where a format has no
   * blocks to keep. Errors: `tensor_not_found`, `checkpoint_invalid` (the file shrank).
   */
  readRowBytes?(name: string, startRow: number, out: Uint8Array): Promise<void>;
}

/** A foreign model, open: everything that an artifact is made of. Owns open files. */
export interface Checkpoint extends AsyncDisposable {
  /** What the artifact is called unless the caller knows better. */
  readonly id: string;
  readonly source: Manifest['source'];
  /** As config.json of a Hugging Face directory says it. */
  readonly config: JsonObject;
  readonly generation: Generation;
  readonly chat: Chat;
  /** tokenizer.bin; null when there is no tokenizer that can be read. */
  readonly tokenizer: Uint8Array | null;
  /** Other files to keep beside the weights. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly tensors: WeightSource;
  /** How a matrix is stored when the caller does not choose. */
  quantOf(spec: WeightSpec): QuantName;
  /** What the user should know. */
  readonly warnings: readonly string[];
}
