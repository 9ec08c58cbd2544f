import { AppError, type JsonObject } from '../../base/index.js';
import { ggufArchitectures, type GgufArchitecture } from '../../model/index.js';
import type { TensorInfo } from '../../weights/index.js';
import { invalidFile } from '../errors.js';
import type { MetadataReader } from './metadata-reader.js';

/** Far above published files, which have one. */
const MAX_DRAFT_LAYERS = 64;

/** Inputs of `createModelConfig` besides the metadata. */
export interface ConfigInput {
  readonly metadata: MetadataReader;
  readonly tensors: ReadonlyMap<string, TensorInfo>;
  /** rope_freqs.weight: the divisor of each frequency. */
  readonly ropeFactors: readonly number[] | undefined;
}

/**
 * A config.json with the contents of a GGUF file's metadata. Source: ggml/docs/gguf.md, "LLM", and llama.cpp's
 * llama-arch.cpp. Errors: `unsupported_architecture`, `unsupported_config`, `checkpoint_invalid`.
 */
export function createModelConfig({ metadata, tensors, ropeFactors }: ConfigInput): JsonObject {
  const family = readArchitecture(metadata);
  const { architecture } = family;
  const at = (key: string): string => `${architecture}.${key}`;
  refuseForeignMathematics(metadata, family);
  const hiddenSize = required(metadata, at('embedding_length'));
  const numHeads = sameForAll(metadata, at('attention.head_count')) ?? missing(metadata, at('attention.head_count'));
  const headDim = metadata.number(at('attention.key_length')) ?? hiddenSize / numHeads;
  for (const key of ['attention.value_length', 'rope.dimension_count']) {
    const value = metadata.number(at(key)) ?? headDim;
    if (value !== headDim && !family.fields?.keys.includes(key))
      throw unsupported(metadata, at(key), value, `${headDim}, the size of a head`);
  }
  // Layers without attention have none.
  const mayLack = family.fields?.keys.includes('attention.head_count_kv') === true;
  const kvHeads = sameForAll(metadata, at('attention.head_count_kv'), mayLack);
  const numbers = (key: string): readonly number[] | undefined => {
    const list = metadata.numbers(at(key));
    return list && Array.from(list);
  };
  const flags = (key: string): readonly boolean[] | undefined => metadata.flags(at(key));
  const hasBias = (part: string): boolean => tensors.has(`blk.0.${part}.bias`);
  return {
    model_type: family.modelType,
    vocab_size: tensors.get('token_embd.weight')?.shape[0] ?? missingTensor(metadata, 'token_embd.weight'),
    hidden_size: hiddenSize,
    intermediate_size:
      sameForAll(metadata, at('feed_forward_length')) ??
      metadata.number(at('expert_feed_forward_length')) ??
      missing(metadata, at('feed_forward_length')),
    num_hidden_layers: required(metadata, at('block_count')) - draftLayers(metadata),
    num_attention_heads: numHeads,
    num_key_value_heads: kvHeads ?? numHeads,
    head_dim: headDim,
    max_position_embeddings: required(metadata, at('context_length')),
    rms_norm_eps: required(metadata, at('attention.layer_norm_rms_epsilon')),
    rope_theta: metadata.number(at('rope.freq_base')) ?? 10_000,
    rope_scaling: ropeScaling(metadata, architecture, ropeFactors),
    ...(family.fields === undefined && { hidden_act: 'silu' }),
    ...Object.fromEntries(Object.entries(family.biasFields).map(([field, part]) => [field, hasBias(part)])),
    tie_word_embeddings: !tensors.has('output.weight'),
    ...family.fields?.read((key) => metadata.number(at(key)), numbers, flags),
  };
}

/** Layers at the end of a file that are a head for the next token but one, and no part of the model. */
export function draftLayers(metadata: MetadataReader): number {
  return metadata.index(`${readArchitecture(metadata).architecture}.nextn_predict_layers`, MAX_DRAFT_LAYERS) ?? 0;
}

/** The architecture in general.architecture. Errors: `unsupported_architecture`, `checkpoint_invalid`. */
export function readArchitecture(metadata: MetadataReader): GgufArchitecture {
  const architecture = metadata.text('general.architecture') ?? missing(metadata, 'general.architecture');
  const known = ggufArchitectures.get(architecture);
  if (known !== undefined) return known;
  throw new AppError(
    'unsupported_architecture',
    `${metadata.file}: architecture "${architecture.slice(0, 80)}" cannot be read from GGUF; supported: ${[...ggufArchitectures.keys()].join(', ')}`,
    { architecture: architecture.slice(0, 80) },
  );
}

function refuseForeignMathematics(metadata: MetadataReader, family: GgufArchitecture): void {
  const { architecture, neutralValues, fields } = family;
  for (const [name, neutral] of Object.entries(neutralValues)) {
    const key = `${architecture}.${name}`;
    const value = metadata.value(key);
    if (value === undefined || neutral.includes(value) || fields?.keys.includes(name)) continue;
    throw unsupported(metadata, key, value, neutral.length === 0 ? 'none' : neutral.join(' or '));
  }
}

function ropeScaling(
  metadata: MetadataReader,
  architecture: string,
  factors: readonly number[] | undefined,
): JsonObject | null {
  if (factors !== undefined) return { rope_type: 'factors', factors };
  const at = (key: string): string => `${architecture}.rope.scaling.${key}`;
  const type = metadata.text(at('type'));
  if (type !== 'linear' && type !== 'yarn') return null;
  const factor = required(metadata, at('factor'));
  if (type === 'linear') return { rope_type: type, factor };
  return {
    rope_type: type,
    factor,
    original_max_position_embeddings: metadata.number(at('original_context_length')) ?? null,
    attention_factor: metadata.number(at('yarn_attn_factor')) ?? null,
    beta_fast: metadata.number(at('yarn_beta_fast')) ?? null,
    beta_slow: metadata.number(at('yarn_beta_slow')) ?? null,
  };
}

/** A number, or a list with the same number for every layer, zeros apart where layers may lack it; undefined when absent. */
function sameForAll(metadata: MetadataReader, key: string, mayLack = false): number | undefined {
  const value = metadata.value(key);
  if (!Array.isArray(value) && !ArrayBuffer.isView(value)) return metadata.number(key);
  const values = Array.from(metadata.numbers(key) ?? []).filter((number) => !mayLack || number !== 0);
  const [first] = values;
  if (first === undefined || values.some((each) => each !== first)) {
    throw unsupported(metadata, key, `[${values.slice(0, 8).join(', ')}, …]`, 'the same in all layers');
  }
  return first;
}

function required(metadata: MetadataReader, key: string): number {
  return metadata.number(key) ?? missing(metadata, key);
}

function missing(metadata: MetadataReader, key: string): never {
  throw invalidFile(metadata.file, `has no ${key}`);
}

function missingTensor(metadata: MetadataReader, name: string): never {
  throw invalidFile(metadata.file, `has no tensor ${name}`);
}

function unsupported(metadata: MetadataReader, key: string, value: unknown, supported: string): AppError {
  const shown = String(value).slice(0, 80);
  return new AppError(
    'unsupported_config',
    `${metadata.file}: ${key} = ${shown} changes the model's mathematics and is not supported; supported: ${supported}`,
    { field: key },
  );
}
