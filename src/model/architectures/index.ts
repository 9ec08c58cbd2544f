import type { Architecture } from '../architecture.js';
import { llama } from './llama.js';
import { qwen2 } from './qwen2.js';
import { qwen3 } from './qwen3.js';

/** The registry of architectures, by config.json's `model_type`. */
export const architectures: Readonly<Record<string, Architecture>> = { llama, qwen2, qwen3 };
