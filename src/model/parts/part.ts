import type { BufferName, Op } from '../../compute/index.js';
import type { ModelConfig } from '../config.js';
import type { WeightSpec } from '../weight-table.js';

/** Names that llama.cpp gives tensors, and those of a Hugging Face checkpoint. Source: gguf-py, gguf/tensor_mapping.py. */
export type GgufTensorNames = Readonly<Record<string, string>>;

/** Where a part of a layer has norms. */
export interface PartNorms {
  /** The checkpoint's norm of the part's input; null: there is none. Each part has a default. */
  readonly norm?: string | null;
  /** A norm of the part's output, before that is added to the residual stream. */
  readonly normAfter?: NormAfter;
}

/** Options of a part: its norms, and its tensors in a checkpoint, by what they are. Absent ones have the usual names. */
export interface DecoderPartOptions<Name extends string> extends PartNorms {
  readonly tensors?: { readonly [Each in Name]?: string };
}

/** Options of a part, with the usual names in place of absent ones. */
export function withUsual<Name extends string>(
  usual: { readonly norm: string; readonly tensors: Readonly<Record<Name, string>> },
  { norm = usual.norm, normAfter, tensors = {} }: DecoderPartOptions<Name>,
): { readonly norms: PartNorms & { readonly norm: string | null }; readonly names: Readonly<Record<Name, string>> } {
  return { norms: { norm, ...(normAfter && { normAfter }) }, names: { ...usual.tensors, ...tensors } };
}

/** A norm after a part: its tensor in both kinds of checkpoints. */
export interface NormAfter {
  readonly tensor: string;
  readonly gguf: string;
}

/** The part of `parts` that `choose` names for each layer. */
export function partByLayer<Name extends string>(
  parts: Readonly<Record<Name, DecoderPart>>,
  choose: (config: ModelConfig, layer: number) => Name,
): DecoderPart {
  const all = Object.values<DecoderPart>(parts);
  return {
    ops: (config, layer) => parts[choose(config, layer)].ops(config, layer),
    weights: (config, layer) => parts[choose(config, layer)].weights(config, layer),
    smallWeights: (config, layer) => parts[choose(config, layer)].smallWeights(config, layer),
    widths: (config, layer) => parts[choose(config, layer)].widths?.(config, layer) ?? [],
    ggufNames: Object.fromEntries(all.flatMap(({ ggufNames }) => Object.entries(ggufNames))),
  };
}

/** A part of a decoder layer, which adds to the residual stream: its computation and its weights. */
export interface DecoderPart {
  /** Its fused ops in layer `layer`, in their order. */
  ops(config: ModelConfig, layer: number): Op[];
  /** Its norms and matrices, in the order in which the forward pass reads them. */
  weights(config: ModelConfig, layer: number): WeightSpec[];
  /** Its biases and the norms of its heads, which are stored after the matrices of all parts of the layer. */
  smallWeights(config: ModelConfig, layer: number): WeightSpec[];
  /** Widths of the buffers that no size of the graph gives. */
  widths?(config: ModelConfig, layer: number): (readonly [BufferName, number])[];
  /** Its tensors in GGUF files, after `blk.N.`, by those of a checkpoint, after `model.layers.N.`. */
  readonly ggufNames: GgufTensorNames;
}
