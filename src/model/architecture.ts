import type { ComputeGraph } from '../compute/index.js';
import type { ConfigReader } from './config-json.js';
import type { ModelConfig } from './config.js';
import type { GgufTensorNames } from './parts/part.js';
import type { WeightSpec } from './weight-table.js';

/** A family's own properties of GGUF files. */
export interface GgufFamily {
  /** general.architecture. */
  readonly architecture: string;
  /**
   * Whether llama.cpp's converter changed the order of the rows of queries and keys, since rope turns neighbouring pairs
   * there. Source: convert_hf_to_gguf.py, `LlamaModel.permute`.
   */
  readonly permutesHeads: boolean;
  /** Fields of config.json that a file expresses by having the bias of a tensor. */
  readonly biasFields: Readonly<Record<string, string>>;
  /** Fields of config.json in addition to those that all families share, or replacing them. */
  readonly fields?: GgufFields;
  /** Names of tensors of a layer that its parts do not have: as `GgufNames.layerTensors`. */
  readonly layerTensors?: GgufTensorNames;
  /** Tensors of a layer that hold −e^x where a checkpoint has x. */
  readonly negatedExponentials?: readonly string[];
}

/** Tensors of checkpoints that have more than a text model. */
export interface CheckpointNames {
  /** What the names of its text model begin with, in place of `model.`. */
  readonly text: string;
  /** What the names of the other parts begin with. */
  readonly others: readonly string[];
}

/** Fields of config.json from the metadata of a family's files. */
export interface GgufFields {
  /** Keys that change the mathematics and that the family reads, where others refuse them. */
  readonly keys: readonly string[];
  /** `number` reads a key after the architecture's name, `numbers` and `flags` one with a value for each layer. */
  readonly read: (
    number: (key: string) => number | undefined,
    numbers: (key: string) => readonly number[] | undefined,
    flags: (key: string) => readonly boolean[] | undefined,
  ) => Readonly<Record<string, unknown>>;
}

/** The architecture-specific names in GGUF files. */
export interface GgufNames extends GgufFamily {
  /**
   * Tensors of a layer, after `blk.N.`, by those of a checkpoint, after `model.layers.N.`. A name is without `.weight` and
   * `.bias` where both have the same end.
   */
  readonly layerTensors: GgufTensorNames;
  /** Tensors outside of layers, by those of a checkpoint. */
  readonly tensors: GgufTensorNames;
  /** Keys that change the mathematics, after the architecture's name, with the values at which they do not. */
  readonly neutralValues: Readonly<Record<string, readonly unknown[]>>;
}

/** The export of a file of the architectures registry. */
export interface Architecture {
  /** Models of it, as people call them. */
  readonly title: string;
  readonly modelType: string;
  /** Other names of it in config.json. */
  readonly aliases: readonly string[];
  /** config.json as dimensions and switches. Errors: `config_invalid`, `unsupported_config`. */
  readonly parseConfig: (config: ConfigReader) => ModelConfig;
  /** Absent: its checkpoints have a text model alone. */
  readonly checkpoint?: CheckpointNames;
  /** The artifact's tensors, in the order in which the forward pass reads them. */
  readonly weights: (config: ModelConfig) => WeightSpec[];
  /** The forward pass as data. */
  readonly forward: (config: ModelConfig) => ComputeGraph;
  /** Its GGUF files; absent where none can be read. */
  readonly gguf?: GgufNames;
}
