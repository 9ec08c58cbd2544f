import type { TensorFormat } from './format.js';
import { gguf } from './gguf.js';
import { safetensors } from './safetensors.js';

export type { TensorFormat, TensorInfo, TensorSource } from './format.js';
export { openGguf, type GgufSource } from './gguf.js';
export { openSafetensors } from './safetensors.js';

/** Every way to keep tensors in files. */
export const formats = { safetensors, gguf } as const satisfies Record<string, TensorFormat>;
