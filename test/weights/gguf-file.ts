import {
  bool,
  encodeHeader,
  f32,
  list,
  tensorBytes,
  text,
  u32,
  type DeclaredTensor,
  type HeaderContent,
} from '../../bench/gguf/gguf-writer.js';
import { alignUp } from '../../src/base/index.js';

/** A tensor with its stored bytes; zeros where there are none. */
export interface GgufTensor extends DeclaredTensor {
  readonly bytes?: Uint8Array;
}

/** The bytes of a whole GGUF file. */
export function ggufFile(
  content: Omit<HeaderContent, 'tensors'> & { readonly tensors: readonly GgufTensor[] },
): Buffer {
  const parts: Uint8Array[] = [encodeHeader(content)];
  for (const tensor of content.tensors) {
    const data = Buffer.alloc(alignUp(tensorBytes(tensor), content.alignment ?? 32));
    if (tensor.bytes !== undefined) data.set(tensor.bytes);
    parts.push(data);
  }
  return Buffer.concat(parts);
}

/** A small file with a value of every kind and tensors of three types. */
export const sampleFile = ggufFile({
  metadata: {
    'general.architecture': text('llama'),
    'sample.count': u32(7),
    'sample.negative': { type: 'i32', value: -3 },
    'sample.ratio': f32(0.5),
    'sample.flag': bool(true),
    'sample.large': { type: 'u64', value: 2n ** 63n },
    'sample.words': list([text('eins'), text('zwei')]),
    'sample.nested': list([list([u32(1), u32(2)]), list([u32(3)])]),
  },
  tensors: [
    { name: 'a', type: 'F32', shape: [3, 4] },
    { name: 'b', type: 'Q4_1', shape: [2, 64] },
    { name: 'c', type: 'Q8_0', shape: [32] },
  ],
});
