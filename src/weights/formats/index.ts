import type { TensorFormat } from './format.js';
import { safetensors } from './safetensors.js';

export type { TensorFormat, TensorInfo, TensorSource } from './format.js';
export { openSafetensors } from './safetensors.js';

/** Every way to keep tensors in files. */
export const formats = { safetensors } as const satisfies Record<string, TensorFormat>;
