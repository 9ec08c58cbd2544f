import { AppError } from '../../base/index.js';
import type { CheckpointNames } from '../../model/index.js';
import type { TensorInfo, TensorSource } from '../../weights/index.js';

/** Matrices of all experts of a layer in one tensor, and those that lie in each expert's rows, in equal parts. */
const STACKED: Readonly<Record<string, readonly string[]>> = {
  gate_up_proj: ['gate_proj', 'up_proj'],
  down_proj: ['down_proj'],
};

/** Some rows of a checkpoint's tensor under a name of the weight table. */
interface TensorPart {
  readonly own: string;
  readonly info: TensorInfo;
  /** Elements of `own` before it. */
  readonly before: number;
}

/**
 * The tensors of a checkpoint's text model under the names that the weight table has: those of checkpoints of text alone, with
 * each expert's matrices apart. Closing it closes `source`.
 */
export function textTensors(source: TensorSource, { text, others }: CheckpointNames): TensorSource {
  const parts = new Map<string, TensorPart>();
  for (const [own, info] of source.tensors) {
    if (others.some((prefix) => own.startsWith(prefix))) continue;
    const name = own.startsWith(text) ? `model.${own.slice(text.length)}` : own;
    for (const [part, place] of partsOf(name, own, info)) parts.set(part, place);
  }
  const find = (name: string): TensorPart => {
    const part = parts.get(name);
    if (part !== undefined) return part;
    throw new AppError('tensor_not_found', `the checkpoint has no tensor "${name}"`, { tensor: name });
  };
  return {
    tensors: new Map([...parts].map(([name, { info }]) => [name, info])),
    async readFloats(name, startElement, count, out) {
      const { own, before } = find(name);
      await source.readFloats(own, before + startElement, count, out);
    },
    checkReadable: (name) => source.checkReadable(find(name).own),
    close: () => source.close(),
    [Symbol.asyncDispose]: () => source.close(),
  };
}

function* partsOf(name: string, own: string, info: TensorInfo): Generator<[string, TensorPart]> {
  const [, experts, matrix = ''] = /^(.+\.experts)\.(\w+)$/.exec(name) ?? [];
  const stacked = Object.hasOwn(STACKED, matrix) ? STACKED[matrix] : undefined;
  const [count = 0, rows = 0, columns] = info.shape;
  if (stacked === undefined || columns === undefined) {
    yield [name, { own, info, before: 0 }];
    return;
  }
  const shape = [rows / stacked.length, columns];
  for (let expert = 0; expert < count; expert++) {
    for (const [index, part] of stacked.entries()) {
      const before = (expert * rows + (index * rows) / stacked.length) * columns;
      yield [`${experts}.${expert}.${part}.weight`, { own, info: { ...info, shape }, before }];
    }
  }
}
