import type { Architecture } from '../architecture.js';
import { gemma3 } from './gemma3.js';
import { lfm2 } from './lfm2.js';
import { llama } from './llama.js';
import { olmo2 } from './olmo2.js';
import { qwen2 } from './qwen2.js';
import { qwen3Moe } from './qwen3-moe.js';
import { qwen3 } from './qwen3.js';

/** The registry of architectures. */
const list: readonly Architecture[] = [llama, qwen2, qwen3, gemma3, olmo2, qwen3Moe, lfm2];

/** Architectures by config.json's `model_type`, aliases included. */
export const architectures: ReadonlyMap<string, Architecture> = new Map(
  list.flatMap((architecture) => [architecture.modelType, ...architecture.aliases].map((name) => [name, architecture])),
);
