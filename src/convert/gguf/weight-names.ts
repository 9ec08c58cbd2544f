// GGUF's names of weights and those of the weight table. Source: gguf-py, gguf/tensor_mapping.py.
import type { GgufArchitecture } from '../../model/index.js';

/** The weight table's name of a GGUF tensor. An unknown tensor keeps its name, and is later refused as unused. */
export function toTableName(
  { tensors, layerTensors }: Pick<GgufArchitecture, 'tensors' | 'layerTensors'>,
  name: string,
): string {
  if (Object.hasOwn(tensors, name)) return tensors[name] ?? name;
  const [, layer, part = '', kind] = /^blk\.(\d{1,4})\.([a-z_]+)\.(weight|bias)$/.exec(name) ?? [];
  const inLayer = Object.hasOwn(layerTensors, part) ? layerTensors[part] : undefined;
  return inLayer === undefined ? name : `model.layers.${layer}.${inLayer}.${kind}`;
}

/** Whether llama.cpp's rope turns neighbouring pairs of this tensor's rows. */
export function isPermuted({ permutesHeads }: Pick<GgufArchitecture, 'permutesHeads'>, name: string): boolean {
  return permutesHeads && /^blk\.\d+\.attn_[qk]\.(weight|bias)$/.test(name);
}
