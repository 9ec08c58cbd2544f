import type { ModelDialect } from '../chat-parser.js';
import { cohere } from './cohere.js';
import { deepseek } from './deepseek.js';
import { deepseekV31 } from './deepseek-v31.js';
import { glm } from './glm.js';
import { granite } from './granite.js';
import { hermes } from './hermes.js';
import { llama3 } from './llama3.js';
import { mistral } from './mistral.js';
import { mistralArgs } from './mistral-args.js';
import { phi4 } from './phi4.js';
import { plain } from './plain.js';
import { qwenCoder } from './qwen-coder.js';

/** Every dialect by its name. The first of two wins that fit a template alike. */
export const dialects = {
  hermes,
  llama3,
  mistral,
  mistralArgs,
  deepseekV31,
  deepseek,
  granite,
  phi4,
  cohere,
  qwenCoder,
  glm,
  plain,
} as const satisfies Record<string, ModelDialect>;
