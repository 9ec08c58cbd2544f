// GGUF files with random weights in the shapes of design/engine.md: what engines are compared on, all on the same file.

import { open, rename } from 'node:fs/promises';
import { alignUp } from '../../src/base/index.js';
import { fillRandom, fillRandomFloats, randomState } from '../../src/convert/random/random-bytes.js';
import { createByteAlphabet } from '../../src/tokenizer/tokens/byte-alphabet.js';
import { f16ToF32, f32ToF16 } from '../../src/weights/index.js';
import {
  bool,
  encodeHeader,
  f32,
  list,
  tensorBytes,
  text,
  u32,
  type DeclaredTensor,
  type TypedValue,
} from './gguf-writer.js';

/** How matrices are stored, with llama.cpp's number of the file type. */
export const fileTypes = { Q4_0: 2, Q4_1: 3, Q8_0: 7 } as const;
export type FileType = keyof typeof fileTypes;

/** The fields of config.json that a file is made of; `shapes` has them. */
export interface Shape {
  readonly model_type: string;
  readonly vocab_size: number;
  readonly hidden_size: number;
  readonly intermediate_size: number;
  readonly num_hidden_layers: number;
  readonly num_attention_heads: number;
  readonly num_key_value_heads: number;
  readonly max_position_embeddings: number;
  readonly rms_norm_eps: number;
  readonly rope_theta: number;
  readonly tie_word_embeddings: boolean;
}

const ALIGNMENT = 32;
const PIECE_BYTES = 1 << 20;
// Of uniform integers −8…7 and −128…127: what a scale is divided by so that weights have a deviation of 1.
const DEVIATION = { Q4_0: 4.61, Q4_1: 4.61, Q8_0: 73.9 } as const;
const BLOCK = {
  Q4_0: { bytes: 18, halves: 1 },
  Q4_1: { bytes: 20, halves: 2 },
  Q8_0: { bytes: 34, halves: 1 },
} as const;

/** Writes the file whole or not at all; the same bytes each time. */
export async function writeShapeFile(path: string, shape: Shape, type: FileType): Promise<void> {
  const tensors = listTensors(shape, type);
  const file = await open(`${path}.partial`, 'w');
  try {
    await file.write(encodeHeader({ metadata: createMetadata(shape, type), tensors, alignment: ALIGNMENT }));
    for (const [index, tensor] of tensors.entries()) {
      for (const piece of tensorPieces(tensor, randomState(0, index))) await file.write(piece);
    }
  } finally {
    await file.close();
  }
  await rename(`${path}.partial`, path);
}

function listTensors(shape: Shape, type: FileType): DeclaredTensor[] {
  const { hidden_size: hidden, intermediate_size: intermediate, vocab_size: vocabulary } = shape;
  const kv = (hidden / shape.num_attention_heads) * shape.num_key_value_heads;
  const matrix = (name: string, rows: number, columns: number): DeclaredTensor => ({
    name: `${name}.weight`,
    type,
    shape: [rows, columns],
  });
  const vector = (name: string, length: number): DeclaredTensor => ({ name, type: 'F32', shape: [length] });
  const biases = (at: string): DeclaredTensor[] => [
    vector(`${at}.attn_q.bias`, hidden),
    vector(`${at}.attn_k.bias`, kv),
    vector(`${at}.attn_v.bias`, kv),
  ];
  const layer = (at: string): DeclaredTensor[] => [
    vector(`${at}.attn_norm.weight`, hidden),
    matrix(`${at}.attn_q`, hidden, hidden),
    matrix(`${at}.attn_k`, kv, hidden),
    matrix(`${at}.attn_v`, kv, hidden),
    ...(shape.model_type === 'qwen2' ? biases(at) : []),
    matrix(`${at}.attn_output`, hidden, hidden),
    vector(`${at}.ffn_norm.weight`, hidden),
    matrix(`${at}.ffn_gate`, intermediate, hidden),
    matrix(`${at}.ffn_up`, intermediate, hidden),
    matrix(`${at}.ffn_down`, hidden, intermediate),
  ];
  return [
    matrix('token_embd', vocabulary, hidden),
    ...Array.from({ length: shape.num_hidden_layers }, (_, i) => layer(`blk.${i}`)).flat(),
    vector('output_norm.weight', hidden),
    ...(shape.tie_word_embeddings ? [] : [matrix('output', vocabulary, hidden)]),
  ];
}

/** About a megabyte each, and the padding; a piece is good until the next is asked for. */
function* tensorPieces(tensor: DeclaredTensor, seedState: number): Generator<Uint8Array> {
  const { name, type, shape } = tensor;
  const size = tensorBytes(tensor);
  const [rows = 1, columns = 1] = shape;
  if (type === 'F32') {
    const values = new Float32Array(rows);
    if (/norm/.test(name)) values.fill(1);
    else fillRandomFloats(values, 0.02, seedState);
    yield new Uint8Array(values.buffer);
  } else yield* matrixPieces(type as FileType, rows, columns, seedState);
  yield new Uint8Array(alignUp(size, ALIGNMENT) - size);
}

function* matrixPieces(type: FileType, rows: number, columns: number, seedState: number): Generator<Uint8Array> {
  const { bytes: blockBytes, halves } = BLOCK[type];
  const rowBytes = (columns / 32) * blockBytes;
  const perPiece = Math.max(1, Math.floor(PIECE_BYTES / rowBytes));
  const words = new Uint32Array(Math.ceil((perPiece * rowBytes) / 4));
  const scale = f32ToF16(columns ** -0.5 / DEVIATION[type]);
  const minimum = f32ToF16(-8 * f16ToF32(scale));
  let state = seedState;
  for (let first = 0; first < rows; first += perPiece) {
    state = fillRandom(words, state);
    const piece = new Uint8Array(words.buffer, 0, Math.min(perPiece, rows - first) * rowBytes);
    // llama.cpp never writes −128, and not all of its kernels read it.
    if (type === 'Q8_0') for (let i = 0; i < piece.length; i++) if (piece[i] === 0x80) piece[i] = 0;
    const view = new DataView(words.buffer);
    for (let at = 0; at < piece.length; at += blockBytes) {
      view.setUint16(at, scale, true);
      if (halves === 2) view.setUint16(at + 2, minimum, true);
    }
    yield piece;
  }
}

function createMetadata(shape: Shape, type: FileType): Record<string, TypedValue> {
  const { model_type: architecture } = shape;
  return {
    'general.architecture': text(architecture),
    'general.name': text('random weights'),
    'general.file_type': u32(fileTypes[type]),
    'general.quantization_version': u32(2),
    [`${architecture}.block_count`]: u32(shape.num_hidden_layers),
    [`${architecture}.context_length`]: u32(shape.max_position_embeddings),
    [`${architecture}.embedding_length`]: u32(shape.hidden_size),
    [`${architecture}.feed_forward_length`]: u32(shape.intermediate_size),
    [`${architecture}.attention.head_count`]: u32(shape.num_attention_heads),
    [`${architecture}.attention.head_count_kv`]: u32(shape.num_key_value_heads),
    [`${architecture}.attention.layer_norm_rms_epsilon`]: f32(shape.rms_norm_eps),
    [`${architecture}.rope.freq_base`]: f32(shape.rope_theta),
    ...createVocabulary(shape.vocab_size),
  };
}

/** A byte-level vocabulary: the bytes, one merge, made-up words, and last the token that ends a text. */
function createVocabulary(size: number): Record<string, TypedValue> {
  const [normal, control] = [1, 3];
  const bytes = createByteAlphabet().charOf;
  const tokens = Array.from({ length: size }, (_, i) => bytes[i] ?? (i === 256 ? 'Ġt' : `unused${i}`));
  tokens[size - 1] = '<|endoftext|>';
  return {
    'tokenizer.ggml.model': text('gpt2'),
    'tokenizer.ggml.pre': text('gpt-2'),
    'tokenizer.ggml.tokens': list(tokens.map(text)),
    'tokenizer.ggml.token_type': list(
      tokens.map((_, i) => ({ type: 'i32', value: i === size - 1 ? control : normal })),
    ),
    'tokenizer.ggml.merges': list([text('Ġ t')]),
    'tokenizer.ggml.bos_token_id': u32(size - 1),
    'tokenizer.ggml.eos_token_id': u32(size - 1),
    'tokenizer.ggml.add_bos_token': bool(false),
  };
}
