import { isJsonObject } from '../../base/index.js';
import { createHash } from 'node:crypto';
import { openArtifact, type Manifest } from '../../artifact/index.js';
import { quantOf } from '../../weights/index.js';
import { toOrigin } from '../origin.js';
import { factNumberOf, type FactValue, type ModelFacts } from './model-facts.js';

/** GGUF's keys below the architecture, by the names that config.json has for them. Source: gguf-py, constants.py. */
const KEYS: readonly (readonly [key: string, ...names: string[]])[] = [
  ['context_length', 'max_position_embeddings'],
  ['embedding_length', 'hidden_size'],
  ['block_count', 'num_hidden_layers'],
  ['feed_forward_length', 'intermediate_size'],
  ['attention.head_count', 'num_attention_heads'],
  ['attention.head_count_kv', 'num_key_value_heads', 'num_attention_heads'],
  ['attention.layer_norm_rms_epsilon', 'rms_norm_eps'],
  ['attention.key_length', 'head_dim'],
  ['attention.value_length', 'head_dim'],
  ['attention.sliding_window', 'sliding_window'],
  ['rope.freq_base', 'rope_theta'],
  ['vocab_size', 'vocab_size'],
];

/** The facts of the artifact in `directory`. Errors: those of an artifact that cannot be opened. */
export async function readArtifactFacts(directory: string): Promise<ModelFacts> {
  await using artifact = await openArtifact(directory);
  const { manifest } = artifact;
  const { chat, tensors, files, modelType: architecture } = manifest;
  const numParameters = tensors.reduce((sum, { rows, columns }) => sum + rows * columns, 0);
  const info = readInfo(manifest, numParameters);
  const origin = toOrigin(manifest.source);
  const { stopTokenIds: _, ...generation } = manifest.generation;
  return {
    format: 'troupe',
    architecture,
    sizeBytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    // The manifest has the hashes of all files.
    digest: createHash('sha256').update(JSON.stringify(manifest)).digest('hex'),
    numParameters,
    quantization: quantOf(manifest.quant).ggml,
    contextLength: factNumberOf(info, `${architecture}.context_length`),
    embeddingLength: factNumberOf(info, `${architecture}.embedding_length`),
    info,
    template: chat.template,
    bosToken: chat.bosToken,
    eosToken: chat.eosToken,
    generation,
    license: origin.license,
    origin,
    tensors: tensors.map(({ name, quant, rows, columns, kind }) => ({
      name,
      type: quantOf(quant).ggml,
      shape: kind === 'vector' ? [rows] : [rows, columns],
    })),
  };
}

function readInfo({ id, modelType, config }: Manifest, numParameters: number): Record<string, FactValue> {
  // Multimodal models have the facts of their text model below a key.
  const text = isJsonObject(config['text_config']) ? config['text_config'] : config;
  const info: Record<string, FactValue> = {
    'general.architecture': modelType,
    'general.name': id,
    'general.parameter_count': numParameters,
  };
  for (const [key, ...names] of KEYS) {
    const value = names.map((name) => text[name]).find((each) => typeof each === 'number');
    if (typeof value === 'number') info[`${modelType}.${key}`] = value;
  }
  return info;
}
