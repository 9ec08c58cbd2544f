// A GGUF file of a Gemma 2 checkpoint computes what the checkpoint does. Names and keys are those that the Python package
// gguf 0.19 gives them; norms have 1 added, as llama.cpp's converter stores them.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { f32, text, u32 } from '../../bench/gguf/gguf-writer.js';
import { convertCheckpoint } from '../../src/convert/index.js';
import { createEngine } from '../../src/embedding/index.js';
import { openSafetensors } from '../../src/weights/index.js';
import { ggufFile, type GgufTensor } from '../weights/gguf-file.js';

const NAMES: Readonly<Record<string, string>> = {
  'model.embed_tokens': 'token_embd',
  'model.norm': 'output_norm',
  input_layernorm: 'attn_norm',
  'self_attn.q_proj': 'attn_q',
  'self_attn.k_proj': 'attn_k',
  'self_attn.v_proj': 'attn_v',
  'self_attn.o_proj': 'attn_output',
  post_attention_layernorm: 'post_attention_norm',
  pre_feedforward_layernorm: 'ffn_norm',
  'mlp.gate_proj': 'ffn_gate',
  'mlp.up_proj': 'ffn_up',
  'mlp.down_proj': 'ffn_down',
  post_feedforward_layernorm: 'post_ffw_norm',
};

const toGgufName = (name: string): string => {
  const [, layer = '', part = name] = /^model\.layers\.(\d+)\.(.+)$/.exec(name) ?? [];
  const known = NAMES[part.replace(/\.weight$/, '')] ?? '';
  return layer === '' ? `${known}.weight` : `blk.${layer}.${known}.weight`;
};

it('a GGUF file of Gemma 2 gives the logits of its checkpoint, with its soft caps and its window', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'gemma2-'));
  try {
    const directory = join(parent, 'checkpoint');
    cpSync(join(process.cwd(), 'test/vectors/models/gemma2'), directory, { recursive: true });
    const path = join(directory, 'config.json');
    // The format has no factor of scores: a head's width gives it.
    const fields = JSON.parse(readFileSync(path, 'utf8')) as Record<string, number>;
    writeFileSync(path, JSON.stringify({ ...fields, query_pre_attn_scalar: fields['head_dim'] }));
    const file = join(parent, 'gemma2.gguf');
    writeFileSync(file, await toGguf(directory, fields));
    const ids = Array.from({ length: 24 }, (_, i) => (i * 37 + 1) % 416);
    const engine = await createEngine({ placement: 'inline', kvCache: 'f32' });
    const logits: Float32Array[] = [];
    for (const [name, source] of Object.entries({ checkpoint: directory, file })) {
      const out = join(parent, `${name}-artifact`);
      await convertCheckpoint({ source, out, quant: 'f32' });
      await using model = await engine.load(out);
      logits.push(await model.forward(ids));
    }
    await engine[Symbol.asyncDispose]();
    const [expected, actual] = logits.map(({ buffer }) => Buffer.from(buffer)) as [Buffer, Buffer];
    expect(logits[0]?.every(Number.isFinite)).toBe(true);
    expect(actual.equals(expected)).toBe(true);
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
});

async function toGguf(directory: string, fields: Readonly<Record<string, number>>): Promise<Buffer> {
  await using checkpoint = await openSafetensors(directory);
  const tensors: GgufTensor[] = [];
  for (const [name, { shape }] of checkpoint.tensors) {
    const values = new Float32Array(shape.reduce((product, size) => product * size, 1));
    await checkpoint.readFloats(name, 0, values.length, values);
    if (name.includes('norm')) values.forEach((value, i) => (values[i] = value + 1));
    tensors.push({ name: toGgufName(name), type: 'F32', shape, bytes: new Uint8Array(values.buffer) });
  }
  const count = (name: string): number => fields[name] ?? 0;
  return ggufFile({
    metadata: {
      'general.architecture': text('gemma2'),
      'gemma2.context_length': u32(count('max_position_embeddings')),
      'gemma2.embedding_length': u32(count('hidden_size')),
      'gemma2.block_count': u32(count('num_hidden_layers')),
      'gemma2.feed_forward_length': u32(count('intermediate_size')),
      'gemma2.attention.head_count': u32(count('num_attention_heads')),
      'gemma2.attention.head_count_kv': u32(count('num_key_value_heads')),
      'gemma2.attention.key_length': u32(count('head_dim')),
      'gemma2.attention.value_length': u32(count('head_dim')),
      'gemma2.attention.layer_norm_rms_epsilon': f32(count('rms_norm_eps')),
      'gemma2.attention.sliding_window': u32(count('sliding_window')),
      'gemma2.attn_logit_softcapping': f32(count('attn_logit_softcapping')),
      'gemma2.final_logit_softcapping': f32(count('final_logit_softcapping')),
      'gemma2.vocab_size': u32(count('vocab_size')),
    },
    tensors,
  });
}
