import type { RuntimeKind } from '../runtime-kind.js';
import { dockerModelRunner } from './docker-model-runner.js';
import { gpt4all } from './gpt4all.js';
import { jan } from './jan.js';
import { koboldcpp } from './koboldcpp.js';
import { lemonade } from './lemonade.js';
import { litellm } from './litellm.js';
import { llamaCpp } from './llama-cpp.js';
import { llamaCppPython } from './llama-cpp-python.js';
import { lmStudio } from './lm-studio.js';
import { localai } from './localai.js';
import { mlx } from './mlx.js';
import { nativeEngine } from './native-engine.js';
import { nim } from './nim.js';
import { ollama } from './ollama.js';
import { openWebui } from './open-webui.js';
import { openaiCompatible } from './openai-compatible.js';
import { privateGateway } from './private-gateway.js';
import { sglang } from './sglang.js';
import { tabbyapi } from './tabbyapi.js';
import { textGenerationWebui } from './text-generation-webui.js';
import { tgi } from './tgi.js';
import { triton } from './triton.js';
import { vllm } from './vllm.js';

/**
 * Every kind of runtime by its name in gateway.yaml, in the order of identification. A kind that imitates another comes
 * before it, and the weakest evidence comes last.
 */
export const runtimeKinds = {
  'private-gateway': privateGateway,
  'native-engine': nativeEngine,
  localai,
  koboldcpp,
  'docker-model-runner': dockerModelRunner,
  jan,
  'open-webui': openWebui,
  'llama.cpp': llamaCpp,
  'llama-cpp-python': llamaCppPython,
  nim,
  sglang,
  vllm,
  tgi,
  triton,
  'lm-studio': lmStudio,
  lemonade,
  'text-generation-webui': textGenerationWebui,
  tabbyapi,
  litellm,
  mlx,
  ollama,
  gpt4all,
  'openai-compatible': openaiCompatible,
} as const satisfies Record<string, RuntimeKind>;

/** The name of a kind of runtime. */
export type RuntimeKindName = keyof typeof runtimeKinds;
