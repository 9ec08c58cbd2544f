import type { Chat, Generation, Manifest } from '../artifact/index.js';
import type { WeightSpec } from '../model/index.js';
import type { QuantName, TensorSource } from '../weights/index.js';
import type { JsonObject } from './huggingface/checkpoint-files.js';
import type { TokenizerSource } from './tokenizer-source.js';

/** Tensors under the names of the weight table. */
export interface WeightSource extends TensorSource {
  /** Whether what it gives has the offsets of the weight table already. Absent: it has not. */
  readonly hasOffsets?: boolean;
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
  /** With the stop ids that its files name. */
  readonly generation: Generation;
  readonly chat: Chat;
  /**
   * What tokenizer.bin is made of. Errors: `checkpoint_invalid` where it cannot be read, `checkpoint_not_found` where it must be
   * there.
   */
  tokenizerSource(): TokenizerSource;
  /** Other files to keep beside the weights. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly tensors: WeightSource;
  /** How a matrix is stored when the caller does not choose. */
  quantOf(spec: WeightSpec): QuantName;
  /** Which of the file's types `quantOf` does not keep, in one line. Absent where a format has no blocks to keep. */
  sayRequantised?(specs: readonly WeightSpec[]): string | undefined;
}
