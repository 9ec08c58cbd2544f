import { bool, f32, list, text, u32, type TypedValue } from '../../bench/gguf/gguf-writer.js';
import { ggufFile } from '../weights/gguf-file.js';

/** A model of one layer whose metadata and tensors a test may change. */
export function oneLayer(
  change: Record<string, TypedValue | null> = {},
  without: string | ((name: string) => boolean) = '',
  extra: string[] = [],
  matrixType = 'Q4_1',
  rows = 8,
): Buffer {
  const metadata = {
    'general.architecture': text('llama'),
    'llama.block_count': u32(1),
    'llama.context_length': u32(64),
    'llama.embedding_length': u32(32),
    'llama.feed_forward_length': u32(32),
    'llama.attention.head_count': u32(2),
    'llama.attention.layer_norm_rms_epsilon': f32(1e-5),
    'tokenizer.ggml.model': text('gpt2'),
    'tokenizer.ggml.pre': text('gpt-2'),
    'tokenizer.ggml.tokens': list(['a', 'b', 'ab', '<s>'].map(text)),
    'tokenizer.ggml.token_type': list([1, 1, 1, 3].map((value) => ({ type: 'i32', value }))),
    'tokenizer.ggml.merges': list([text('a b')]),
    'tokenizer.ggml.bos_token_id': u32(3),
    'tokenizer.ggml.eos_token_id': u32(3),
    'tokenizer.ggml.add_bos_token': bool(true),
  };
  const kept = Object.entries({ ...metadata, ...change }).flatMap(([key, value]) =>
    value ? [[key, value] as const] : [],
  );
  const matrices = ['attn_q', 'attn_k', 'attn_v', 'attn_output', 'ffn_gate', 'ffn_up', 'ffn_down'];
  const tensors = [
    { name: 'token_embd.weight', type: 'Q8_0', shape: [rows, 32] },
    { name: 'output_norm.weight', type: 'F32', shape: [32] },
    ...['attn_norm', 'ffn_norm'].map((part) => ({ name: `blk.0.${part}.weight`, type: 'F32', shape: [32] })),
    ...matrices.map((part) => ({ name: `blk.0.${part}.weight`, type: matrixType, shape: [32, 32] })),
    ...extra.map((name) => ({ name, type: 'F32', shape: [32] })),
  ];
  return ggufFile({
    metadata: Object.fromEntries(kept),
    tensors: tensors.filter(({ name }) => (typeof without === 'string' ? name !== without : !without(name))),
  });
}
