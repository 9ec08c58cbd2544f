// A Hugging Face directory as a GGUF file of floats: what llama.cpp makes files of other types of.

import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { ggufArchitectures } from '../../src/model/index.js';
import { openSafetensors } from '../../src/weights/index.js';
import { encodeHeader, f32, list, text, u32, type DeclaredTensor, type TypedValue } from './gguf-writer.js';

interface Config {
  readonly model_type: string;
  readonly num_hidden_layers: number;
  readonly max_position_embeddings: number;
  readonly hidden_size: number;
  readonly intermediate_size: number;
  readonly num_attention_heads: number;
  readonly num_key_value_heads: number;
  readonly head_dim: number;
  readonly vocab_size: number;
  readonly rms_norm_eps: number;
  readonly rope_theta: number;
  readonly bos_token_id: number;
  readonly eos_token_id: number;
}

interface TokenizerJson {
  readonly model: { readonly vocab: Record<string, number>; readonly merges: (string | [string, string])[] };
  readonly added_tokens: { readonly id: number; readonly content: string; readonly special: boolean }[];
}

/**
 * Writes the float32 GGUF file of a checkpoint whose rope needs no permutation (qwen), with its byte-level tokenizer, which cuts
 * as `pre` says.
 */
export async function writeCheckpointFile(directory: string, path: string, pre: string): Promise<void> {
  const config = JSON.parse(readFileSync(join(directory, 'config.json'), 'utf8')) as Config;
  const tokenizer = JSON.parse(readFileSync(join(directory, 'tokenizer.json'), 'utf8')) as TokenizerJson;
  await using source = await openSafetensors(directory);
  const tensors = [...source.tensors].map(([name, { shape }]): DeclaredTensor & { readonly from: string } => ({
    name: toGgufName(name, config.model_type),
    type: 'F32',
    shape,
    from: name,
  }));
  const file = await open(path, 'w');
  try {
    await file.write(encodeHeader({ metadata: createMetadata(config, tokenizer, pre), tensors }));
    for (const { from, shape } of tensors) {
      const values = new Float32Array(shape.reduce((product, size) => product * size, 1));
      await source.readFloats(from, 0, values.length, values);
      const bytes = new Uint8Array(values.buffer);
      await file.write(bytes);
      await file.write(new Uint8Array((32 - (bytes.length % 32)) % 32));
    }
  } finally {
    await file.close();
  }
}

function toGgufName(name: string, modelType: string): string {
  const names = [...ggufArchitectures.values()].find((architecture) => architecture.modelType === modelType);
  const own = Object.entries(names?.tensors ?? {}).find(([, from]) => from === name);
  if (own !== undefined) return own[0];
  const [, layer = '', part = '', kind = ''] = /^model\.layers\.(\d+)\.(.+)\.(weight|bias)$/.exec(name) ?? [];
  const inLayer = Object.entries(names?.layerTensors ?? {}).find(([, from]) => from === part);
  if (inLayer === undefined) throw new Error(`GGUF has no name for ${name}`);
  return `blk.${layer}.${inLayer[0]}.${kind}`;
}

function createMetadata(config: Config, { model, added_tokens: added }: TokenizerJson, pre: string) {
  const { model_type: architecture, vocab_size: vocabSize } = config;
  const at = (key: string): string => `${architecture}.${key}`;
  const tokens = Array.from({ length: vocabSize }, (_, id) => `[PAD${id}]`);
  const types = Array.from({ length: vocabSize }, () => 5);
  for (const [token, id] of Object.entries(model.vocab)) [tokens[id], types[id]] = [token, 1];
  for (const { id, content, special } of added) [tokens[id], types[id]] = [content, special ? 3 : 4];
  const metadata: Record<string, TypedValue> = {
    'general.architecture': text(architecture),
    'general.name': text('demo'),
    'general.file_type': u32(0),
    'general.quantization_version': u32(2),
    [at('block_count')]: u32(config.num_hidden_layers),
    [at('context_length')]: u32(config.max_position_embeddings),
    [at('embedding_length')]: u32(config.hidden_size),
    [at('feed_forward_length')]: u32(config.intermediate_size),
    [at('attention.head_count')]: u32(config.num_attention_heads),
    [at('attention.head_count_kv')]: u32(config.num_key_value_heads),
    [at('attention.key_length')]: u32(config.head_dim),
    [at('attention.value_length')]: u32(config.head_dim),
    [at('attention.layer_norm_rms_epsilon')]: f32(config.rms_norm_eps),
    [at('rope.freq_base')]: f32(config.rope_theta),
    'tokenizer.ggml.model': text('gpt2'),
    'tokenizer.ggml.pre': text(pre),
    'tokenizer.ggml.tokens': list(tokens.map(text)),
    'tokenizer.ggml.token_type': list(types.map((value) => ({ type: 'i32', value }))),
    'tokenizer.ggml.merges': list(
      model.merges.map((merge) => text(typeof merge === 'string' ? merge : merge.join(' '))),
    ),
    'tokenizer.ggml.bos_token_id': u32(config.bos_token_id),
    'tokenizer.ggml.eos_token_id': u32(config.eos_token_id),
  };
  return metadata;
}
