import type { RuntimeKindName } from '../../../src/gateway/index.js';
import * as llama from './llama-family.js';
import * as ollama from './ollama-family.js';
import type { Imitation } from './pages.js';
import * as server from './server-family.js';

/** An imitation of every kind. A kind without one does not compile. */
export const imitations: Readonly<Record<RuntimeKindName, Imitation>> = {
  'private-gateway': server.privateGateway,
  'native-engine': ollama.nativeEngine,
  localai: ollama.localai,
  koboldcpp: ollama.koboldcpp,
  'docker-model-runner': ollama.dockerModelRunner,
  jan: llama.jan,
  'open-webui': llama.openWebui,
  'llama.cpp': llama.llamaCpp,
  'llama-cpp-python': llama.llamaCppPython,
  nim: server.nim,
  sglang: server.sglang,
  vllm: server.vllm,
  tgi: server.tgi,
  triton: server.triton,
  'lm-studio': llama.lmStudio,
  lemonade: ollama.lemonade,
  'text-generation-webui': server.textGenerationWebui,
  tabbyapi: server.tabbyapi,
  litellm: server.litellm,
  mlx: llama.mlx,
  ollama: ollama.ollama,
  gpt4all: llama.gpt4all,
  'openai-compatible': server.openaiCompatible,
};
