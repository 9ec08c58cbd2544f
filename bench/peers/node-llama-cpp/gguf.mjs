// Writes a GGUF file with random weights: the least that llama.cpp accepts as a model of the llama architecture.
// Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md, version 3.
import { open } from 'node:fs/promises';

const ALIGNMENT = 32;
const BLOCK = 32;

/** Numbers of GGML's tensor types; bytes of a block of 32 values. */
const types = {
  f32: { id: 0, blockBytes: 4 * BLOCK },
  q4_0: { id: 2, blockBytes: 2 + BLOCK / 2, fileType: 2 },
  q8_0: { id: 8, blockBytes: 2 + BLOCK, fileType: 7 },
};

/** 1.1b of engine.md. */
export const shapes = {
  '1.1b': { numLayers: 22, hidden: 2048, heads: 32, kvHeads: 4, intermediate: 5632, vocabulary: 32000, context: 4096 },
};

/** Writes `path`; matrices in `quant` ('q4_0' or 'q8_0'), norms of ones. */
export async function writeRandomGguf(path, shape, quant) {
  const tensors = listTensors(shape, quant);
  const file = await open(path, 'w');
  try {
    await file.write(header(shape, quant, tensors));
    let seed = 1;
    for (const tensor of tensors) {
      const data = tensorData(tensor, seed++);
      await file.write(data);
    }
  } finally {
    await file.close();
  }
}

function listTensors({ numLayers, hidden, heads, kvHeads, intermediate, vocabulary }, quant) {
  const kv = (hidden / heads) * kvHeads;
  const matrix = (name, columns, rows) => ({ name, dims: [columns, rows], type: quant });
  const vector = (name, length) => ({ name, dims: [length], type: 'f32' });
  const layer = (i) => [
    vector(`blk.${i}.attn_norm.weight`, hidden),
    matrix(`blk.${i}.attn_q.weight`, hidden, hidden),
    matrix(`blk.${i}.attn_k.weight`, hidden, kv),
    matrix(`blk.${i}.attn_v.weight`, hidden, kv),
    matrix(`blk.${i}.attn_output.weight`, hidden, hidden),
    vector(`blk.${i}.ffn_norm.weight`, hidden),
    matrix(`blk.${i}.ffn_gate.weight`, hidden, intermediate),
    matrix(`blk.${i}.ffn_up.weight`, hidden, intermediate),
    matrix(`blk.${i}.ffn_down.weight`, intermediate, hidden),
  ];
  return [
    matrix('token_embd.weight', hidden, vocabulary),
    ...Array.from({ length: numLayers }, (_, i) => layer(i)).flat(),
    vector('output_norm.weight', hidden),
    matrix('output.weight', hidden, vocabulary),
  ];
}

function sizeOf({ dims, type }) {
  return (dims.reduce((a, b) => a * b, 1) / BLOCK) * types[type].blockBytes;
}

/** Random blocks with one small scale, so that activations stay finite. */
function tensorData(tensor, seed) {
  const bytes = Buffer.alloc(Math.ceil(sizeOf(tensor) / ALIGNMENT) * ALIGNMENT);
  if (tensor.type === 'f32') {
    for (let i = 0; i < tensor.dims[0]; i++) bytes.writeFloatLE(1, i * 4);
    return bytes;
  }
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
  let state = (seed * 2654435761) >>> 0 || 1;
  for (let i = 0; i < words.length; i++) {
    // xorshift32, Marsaglia 2003.
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    words[i] = state;
  }
  // f16: 2^-8 for nibbles of -8..7, 2^-12 for bytes of -128..127.
  const scale = tensor.type === 'q4_0' ? 0x1c00 : 0x0c00;
  const { blockBytes } = types[tensor.type];
  for (let at = 0; at + blockBytes <= bytes.length; at += blockBytes) bytes.writeUInt16LE(scale, at);
  return bytes;
}

function header(shape, quant, tensors) {
  const metadata = [
    ['general.architecture', string('llama')],
    ['general.name', string('random')],
    ['general.file_type', uint32(types[quant].fileType)],
    ['general.quantization_version', uint32(2)],
    ['llama.block_count', uint32(shape.numLayers)],
    ['llama.context_length', uint32(shape.context)],
    ['llama.embedding_length', uint32(shape.hidden)],
    ['llama.feed_forward_length', uint32(shape.intermediate)],
    ['llama.attention.head_count', uint32(shape.heads)],
    ['llama.attention.head_count_kv', uint32(shape.kvHeads)],
    ['llama.attention.layer_norm_rms_epsilon', float32(1e-5)],
    ['llama.rope.dimension_count', uint32(shape.hidden / shape.heads)],
    ['llama.rope.freq_base', float32(10000)],
    ['llama.vocab_size', uint32(shape.vocabulary)],
    ...tokenizer(shape.vocabulary),
  ];
  let offset = 0;
  const infos = tensors.map((tensor) => {
    const info = [
      text(tensor.name),
      u32(tensor.dims.length),
      ...tensor.dims.map(u64),
      u32(types[tensor.type].id),
      u64(offset),
    ];
    offset += Math.ceil(sizeOf(tensor) / ALIGNMENT) * ALIGNMENT;
    return Buffer.concat(info);
  });
  const parts = [
    Buffer.from('GGUF'),
    u32(3),
    u64(tensors.length),
    u64(metadata.length),
    ...metadata.flatMap(([key, value]) => [text(key), value]),
    ...infos,
  ];
  const size = parts.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([...parts, Buffer.alloc((ALIGNMENT - (size % ALIGNMENT)) % ALIGNMENT)]);
}

/** A SentencePiece-like vocabulary: three special tokens, the bytes, and words that never occur. */
function tokenizer(vocabulary) {
  const [normal, unknown, control, byte] = [1, 2, 3, 6];
  const special = ['<unk>', '<s>', '</s>'];
  const tokens = Array.from({ length: vocabulary }, (_, i) => {
    if (i < 3) return special[i];
    return i < 259 ? `<0x${(i - 3).toString(16).toUpperCase().padStart(2, '0')}>` : `t${i}`;
  });
  const kinds = tokens.map((_, i) => (i === 0 ? unknown : i < 3 ? control : i < 259 ? byte : normal));
  return [
    ['tokenizer.ggml.model', string('llama')],
    ['tokenizer.ggml.tokens', array(8, tokens.map(text))],
    [
      'tokenizer.ggml.scores',
      array(
        6,
        tokens.map((_, i) => f32(-i)),
      ),
    ],
    ['tokenizer.ggml.token_type', array(5, kinds.map(u32))],
    ['tokenizer.ggml.bos_token_id', uint32(1)],
    ['tokenizer.ggml.eos_token_id', uint32(2)],
    ['tokenizer.ggml.unknown_token_id', uint32(0)],
  ];
}

function u32(value) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function u64(value) {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function f32(value) {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
}

function text(value) {
  const bytes = Buffer.from(value);
  return Buffer.concat([u64(bytes.length), bytes]);
}

const uint32 = (value) => Buffer.concat([u32(4), u32(value)]);
const float32 = (value) => Buffer.concat([u32(6), f32(value)]);
const string = (value) => Buffer.concat([u32(8), text(value)]);
const array = (type, items) => Buffer.concat([u32(9), u32(type), u64(items.length), ...items]);
