// GGUF's names of weights and those of the weight table. Source: gguf-py, gguf/tensor_mapping.py.
import type { GgufArchitecture } from '../../model/index.js';

/** The weight table's name of a GGUF tensor; an unknown one keeps its own, and is refused as one that nobody reads. */
export function toTableName(
  { tensors, layerTensors }: Pick<GgufArchitecture, 'tensors' | 'layerTensors'>,
  name: string,
): string {
  if (Object.hasOwn(tensors, name)) return tensors[name] ?? name;
  const [, layer, part = '', kind] = /^blk\.(\d{1,4})\.([a-z_]+)\.(weight|bias)$/.exec(name) ?? [];
  const inLayer = Object.hasOwn(layerTensors, part) ? layerTensors[part] : undefined;
  return inLayer === undefined ? name : `model.layers.${layer}.${inLayer}.${kind}`;
}

/** Whether the rows of this tensor are in the order in which llama.cpp's rope turns neighbouring pairs. */
export function isPermuted({ permutesHeads }: Pick<GgufArchitecture, 'permutesHeads'>, name: string): boolean {
  return permutesHeads && /^blk\.\d+\.attn_[qk]\.(weight|bias)$/.test(name);
}
