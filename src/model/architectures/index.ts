import type { Architecture } from '../architecture.js';
import { exaone4 } from './exaone4.js';
import { gemma2 } from './gemma2.js';
import { gemma3 } from './gemma3.js';
import { granite } from './granite.js';
import { lfm2 } from './lfm2.js';
import { llama } from './llama.js';
import { mistral } from './mistral.js';
import { mixtral } from './mixtral.js';
import { olmo2 } from './olmo2.js';
import { qwen2 } from './qwen2.js';
import { qwen35 } from './qwen3-5.js';
import { qwen35Moe } from './qwen3-5-moe.js';
import { qwen3Moe } from './qwen3-moe.js';
import { qwen3Next } from './qwen3-next.js';
import { qwen3 } from './qwen3.js';
import { seedOss } from './seed-oss.js';
import { smollm3 } from './smollm3.js';

/** The registry of architectures. */
const list: readonly Architecture[] = [
  llama,
  mistral,
  mixtral,
  smollm3,
  qwen2,
  qwen3,
  qwen3Moe,
  qwen3Next,
  qwen35,
  qwen35Moe,
  gemma2,
  gemma3,
  olmo2,
  exaone4,
  granite,
  lfm2,
  seedOss,
];

/** Architectures by config.json's `model_type`, aliases included. */
export const architectures: ReadonlyMap<string, Architecture> = new Map(
  list.flatMap((architecture) => [architecture.modelType, ...architecture.aliases].map((name) => [name, architecture])),
);
