import { AppError, assert, present } from '../../base/index.js';
import { repackers, type GgufSource, type TensorInfo } from '../../weights/index.js';
import type { GgufArchitecture } from '../../model/index.js';
import type { WeightSource } from '../checkpoint.js';
import type { Cells } from '../../compute/index.js';

/** Tensors that are read separately and never as weights. */
const NO_WEIGHTS: readonly string[] = ['rope_freqs.weight'];

/**
 * The tensors of a GGUF file under the names of the weight table. Rows of queries and keys are in the order for a rope
 * that turns halves of a head. Closing it closes the file.
 */
export function createWeightSource(
  gguf: GgufSource,
  architecture: GgufArchitecture,
  { headDim, numLayers, draftLayers }: SourceSizes,
): WeightSource {
  const parts = new Map<string, TensorPart>();
  const tensors = new Map<string, TensorInfo>();
  for (const [own, tensor] of gguf.tensors) {
    if (NO_WEIGHTS.includes(own)) continue;
    const beyond = Number(/^blk\.(\d{1,4})\./.exec(own)?.[1] ?? -1) - numLayers;
    if (beyond >= 0 && beyond < draftLayers) continue;
    for (const [name, part] of partsOf(toTableName(architecture, own), own, tensor)) {
      parts.set(name, part);
      tensors.set(name, part.tensor);
    }
  }
  const find = (name: string): TensorPart => {
    const part = parts.get(name);
    if (part === undefined)
      throw new AppError('tensor_not_found', `the file has no tensor "${name}"`, { tensor: name });
    return part;
  };
  return {
    tensors,
    // llama.cpp's converter adds 1 to the norms of gemma. Source: convert_hf_to_gguf.py, `Gemma3Model.norm_shift`.
    hasOffsets: true,

    checkReadable: (name) => gguf.checkReadable(find(name).own),

    async readFloats(name, startElement, count, out) {
      const { own, columns, firstRow } = find(name);
      if (!isPermuted(architecture, own)) {
        await gguf.readFloats(own, firstRow * columns + startElement, count, out);
        if (isNegatedExponential(architecture, own)) {
          for (let i = 0; i < count; i++) out[i] = Math.log(-(out[i] as number));
        }
        return;
      }
      const read: ReadRows<Float32Array> = (start, rows, into) =>
        gguf.readFloats(own, start * columns, rows * columns, into);
      const values = out.subarray(0, count);
      const create = (cells: number): Float32Array => new Float32Array(cells);
      await readUnpermuted(read, startElement / columns, values, columns, headDim, create);
    },

    async readRowBytes(name, startRow, out) {
      const { own, tensor, columns, firstRow } = find(name);
      const rowBytes = present(repackers.get(tensor.dtype), `${tensor.dtype} is kept in blocks`).rowBytes(columns);
      const read: ReadRows<Uint8Array> = (start, _, into) => gguf.readBytes(own, start * rowBytes, into);
      if (!isPermuted(architecture, own)) return read(firstRow + startRow, out.length / rowBytes, out);
      await readUnpermuted(read, startRow, out, rowBytes, headDim, (cells) => new Uint8Array(cells));
    },

    close: () => gguf.close(),
    [Symbol.asyncDispose]: () => gguf.close(),
  };
}

/** Sizes of a model. */
interface SourceSizes {
  readonly headDim: number;
  readonly numLayers: number;
  /** Layers behind these that are no part of it. */
  readonly draftLayers: number;
}

/** A tensor of the weight table: one of the file, or the matrix of one expert in it. */
interface TensorPart {
  /** The file's name. */
  readonly own: string;
  readonly tensor: TensorInfo;
  readonly columns: number;
  /** Its first row in the file's tensor. */
  readonly firstRow: number;
}

/** The tensors that the file's tensor `own` is in the weight table, where a `*` in its name stands for the expert. */
function* partsOf(name: string, own: string, tensor: TensorInfo): Generator<[string, TensorPart]> {
  const [count, rows = 0, columns] = tensor.shape;
  if (!name.includes('*') || count === undefined || columns === undefined) {
    yield [name, { own, tensor, columns: tensor.shape[1] ?? 1, firstRow: 0 }];
    return;
  }
  for (let expert = 0; expert < count; expert++) {
    const of = { ...tensor, shape: [rows, columns] };
    yield [name.replace('*', String(expert)), { own, tensor: of, columns, firstRow: expert * rows }];
  }
}

type ReadRows<T> = (startRow: number, rows: number, into: T) => Promise<void>;

/** Fills `out` with rows of `width` cells from `startRow` on, each read from its permuted position within its head. */
async function readUnpermuted<T extends Cells<T>>(
  read: ReadRows<T>,
  startRow: number,
  out: T,
  width: number,
  headDim: number,
  create: (cells: number) => T,
): Promise<void> {
  const rows = out.length / width;
  assert(Number.isInteger(startRow) && Number.isInteger(rows), 'queries and keys are read by whole rows');
  const first = Math.floor(startRow / headDim) * headDim;
  const last = Math.ceil((startRow + rows) / headDim) * headDim;
  const heads = create((last - first) * width);
  await read(first, last - first, heads);
  for (let row = 0; row < rows; row++) {
    const from = storedRow(startRow + row, headDim) - first;
    out.set(heads.subarray(from * width, (from + 1) * width), row * width);
  }
}

/** Row i of the first half of a head is stored at 2i, row i of the second at 2i + 1. */
function storedRow(row: number, headDim: number): number {
  const inHead = row % headDim;
  const half = headDim / 2;
  return row - inHead + (inHead < half ? 2 * inHead : 2 * (inHead - half) + 1);
}

// GGUF's names of weights and those of the weight table. Source: gguf-py, gguf/tensor_mapping.py.

/** The weight table's name of a GGUF tensor. An unknown tensor keeps its name, and is later refused as unused. */
function toTableName(
  { tensors, layerTensors }: Pick<GgufArchitecture, 'tensors' | 'layerTensors'>,
  name: string,
): string {
  if (Object.hasOwn(tensors, name)) return tensors[name] ?? name;
  const [, layer, whole = ''] = /^blk\.(\d{1,4})\.([a-z0-9_.]+)$/.exec(name) ?? [];
  const [, part = whole, end = ''] = Object.hasOwn(layerTensors, whole)
    ? []
    : (/^(.+)(\.(?:weight|bias))$/.exec(whole) ?? []);
  const inLayer = Object.hasOwn(layerTensors, part) ? layerTensors[part] : undefined;
  return inLayer === undefined ? name : `model.layers.${layer}.${inLayer}${end}`;
}

function isNegatedExponential({ negatedExponentials = [] }: GgufArchitecture, name: string): boolean {
  return negatedExponentials.includes(name.replace(/^blk\.\d+\./, ''));
}

/** Whether llama.cpp's rope turns neighbouring pairs of this tensor's rows. */
function isPermuted({ permutesHeads }: Pick<GgufArchitecture, 'permutesHeads'>, name: string): boolean {
  return permutesHeads && /^blk\.\d+\.attn_[qk]\.(weight|bias)$/.test(name);
}
