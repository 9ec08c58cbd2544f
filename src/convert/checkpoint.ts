import { type JsonObject } from '../base/index.js';
import type { Chat, GenerationDefaults, Manifest } from '../artifact/index.js';
import type { WeightSpec } from '../model/index.js';
import type { QuantName, TensorSource } from '../weights/index.js';
import type { TokenizerSource } from './tokenizer-source.js';

/** Tensors under the names of the weight table. */
export interface WeightSource extends TensorSource {
  /** Whether its values include the offsets of the weight table. Absent: no. */
  readonly hasOffsets?: boolean;
  /**
   * Fills `out` with the stored bytes of whole rows of a matrix, from `startRow` on. Absent where a format has no
   * blocks to keep. Errors: `tensor_not_found`, `checkpoint_invalid` (the file shrank).
   */
  readRowBytes?(name: string, startRow: number, out: Uint8Array): Promise<void>;
}

/** An open foreign model: the source of every part of an artifact. Owns open files. */
export interface Checkpoint extends AsyncDisposable {
  /** Default id of the artifact. */
  readonly id: string;
  readonly source: Manifest['source'];
  /** In the form of config.json of a Hugging Face directory. */
  readonly config: JsonObject;
  /** With the stop ids of its files. */
  readonly generation: GenerationDefaults;
  readonly chat: Chat;
  /**
   * The source of tokenizer.bin. Errors: `checkpoint_invalid` for an unreadable one, `checkpoint_not_found` for a
   * missing required one.
   */
  tokenizerSource(): TokenizerSource;
  /** Other files to keep beside the weights. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly tensors: WeightSource;
  /** Default quant of a matrix. */
  quantOf(spec: WeightSpec): QuantName;
  /** The file's types that `quantOf` does not keep, in one line. Absent where a format has no blocks to keep. */
  sayRequantised?(specs: readonly WeightSpec[]): string | undefined;
}
