/** A tag of a model with a familiar short name, and its repository. */
export type KnownTag = readonly [tag: string, repo: string];

/**
 * Familiar names of models, without a repository. Names and tags are those of ollama.com/library; the first tag of each
 * is the default. Repositories are public ones of huggingface.co: by the publisher of the model where it has GGUF
 * files, else by bartowski, Unsloth, ggml-org or TheBloke. Collected on 2026-11-27, without a connection to the hub.
 * The table includes models that this engine does not run: the refusal then names their architecture.
 */
export const knownModels: Readonly<Record<string, readonly KnownTag[]>> = {
  'all-minilm': [['22m', 'second-state/All-MiniLM-L6-v2-Embedding-GGUF']],
  'bge-m3': [['567m', 'gpustack/bge-m3-GGUF']],
  codellama: [
    ['7b', 'TheBloke/CodeLlama-7B-Instruct-GGUF'],
    ['13b', 'TheBloke/CodeLlama-13B-Instruct-GGUF'],
    ['34b', 'TheBloke/CodeLlama-34B-Instruct-GGUF'],
  ],
  codestral: [['22b', 'bartowski/Codestral-22B-v0.1-GGUF']],
  'deepseek-coder-v2': [['16b', 'bartowski/DeepSeek-Coder-V2-Lite-Instruct-GGUF']],
  'deepseek-r1': [
    ['8b', 'unsloth/DeepSeek-R1-0528-Qwen3-8B-GGUF'],
    ['1.5b', 'bartowski/DeepSeek-R1-Distill-Qwen-1.5B-GGUF'],
    ['7b', 'bartowski/DeepSeek-R1-Distill-Qwen-7B-GGUF'],
    ['14b', 'bartowski/DeepSeek-R1-Distill-Qwen-14B-GGUF'],
    ['32b', 'bartowski/DeepSeek-R1-Distill-Qwen-32B-GGUF'],
    ['70b', 'bartowski/DeepSeek-R1-Distill-Llama-70B-GGUF'],
  ],
  devstral: [['24b', 'unsloth/Devstral-Small-2507-GGUF']],
  embeddinggemma: [['300m', 'ggml-org/embeddinggemma-300M-GGUF']],
  gemma2: [
    ['9b', 'bartowski/gemma-2-9b-it-GGUF'],
    ['2b', 'bartowski/gemma-2-2b-it-GGUF'],
    ['27b', 'bartowski/gemma-2-27b-it-GGUF'],
  ],
  gemma3: [
    ['4b', 'unsloth/gemma-3-4b-it-GGUF'],
    ['270m', 'unsloth/gemma-3-270m-it-GGUF'],
    ['1b', 'unsloth/gemma-3-1b-it-GGUF'],
    ['12b', 'unsloth/gemma-3-12b-it-GGUF'],
    ['27b', 'unsloth/gemma-3-27b-it-GGUF'],
  ],
  gemma3n: [
    ['e4b', 'unsloth/gemma-3n-E4B-it-GGUF'],
    ['e2b', 'unsloth/gemma-3n-E2B-it-GGUF'],
  ],
  'gpt-oss': [
    ['20b', 'ggml-org/gpt-oss-20b-GGUF'],
    ['120b', 'ggml-org/gpt-oss-120b-GGUF'],
  ],
  'granite3.3': [
    ['8b', 'ibm-granite/granite-3.3-8b-instruct-GGUF'],
    ['2b', 'ibm-granite/granite-3.3-2b-instruct-GGUF'],
  ],
  hermes3: [
    ['8b', 'NousResearch/Hermes-3-Llama-3.1-8B-GGUF'],
    ['3b', 'NousResearch/Hermes-3-Llama-3.2-3B-GGUF'],
  ],
  llama2: [
    ['7b', 'TheBloke/Llama-2-7B-Chat-GGUF'],
    ['13b', 'TheBloke/Llama-2-13B-chat-GGUF'],
  ],
  llama3: [
    ['8b', 'bartowski/Meta-Llama-3-8B-Instruct-GGUF'],
    ['70b', 'bartowski/Meta-Llama-3-70B-Instruct-GGUF'],
  ],
  'llama3.1': [
    ['8b', 'bartowski/Meta-Llama-3.1-8B-Instruct-GGUF'],
    ['70b', 'bartowski/Meta-Llama-3.1-70B-Instruct-GGUF'],
  ],
  'llama3.2': [
    ['3b', 'bartowski/Llama-3.2-3B-Instruct-GGUF'],
    ['1b', 'bartowski/Llama-3.2-1B-Instruct-GGUF'],
  ],
  'llama3.3': [['70b', 'bartowski/Llama-3.3-70B-Instruct-GGUF']],
  mistral: [['7b', 'bartowski/Mistral-7B-Instruct-v0.3-GGUF']],
  'mistral-nemo': [['12b', 'bartowski/Mistral-Nemo-Instruct-2407-GGUF']],
  'mistral-small': [['24b', 'bartowski/Mistral-Small-24B-Instruct-2501-GGUF']],
  'mistral-small3.2': [['24b', 'unsloth/Mistral-Small-3.2-24B-Instruct-2506-GGUF']],
  mixtral: [['8x7b', 'TheBloke/Mixtral-8x7B-Instruct-v0.1-GGUF']],
  'mxbai-embed-large': [['335m', 'ChristianAzinn/mxbai-embed-large-v1-gguf']],
  'nomic-embed-text': [['v1.5', 'nomic-ai/nomic-embed-text-v1.5-GGUF']],
  'phi3.5': [['3.8b', 'bartowski/Phi-3.5-mini-instruct-GGUF']],
  phi3: [
    ['3.8b', 'bartowski/Phi-3-mini-4k-instruct-GGUF'],
    ['mini', 'bartowski/Phi-3-mini-4k-instruct-GGUF'],
  ],
  phi4: [['14b', 'bartowski/phi-4-GGUF']],
  'phi4-mini': [['3.8b', 'unsloth/Phi-4-mini-instruct-GGUF']],
  qwen2: [
    ['7b', 'Qwen/Qwen2-7B-Instruct-GGUF'],
    ['0.5b', 'Qwen/Qwen2-0.5B-Instruct-GGUF'],
    ['1.5b', 'Qwen/Qwen2-1.5B-Instruct-GGUF'],
  ],
  'qwen2.5': [
    ['7b', 'Qwen/Qwen2.5-7B-Instruct-GGUF'],
    ['0.5b', 'Qwen/Qwen2.5-0.5B-Instruct-GGUF'],
    ['1.5b', 'Qwen/Qwen2.5-1.5B-Instruct-GGUF'],
    ['3b', 'Qwen/Qwen2.5-3B-Instruct-GGUF'],
    ['14b', 'Qwen/Qwen2.5-14B-Instruct-GGUF'],
    ['32b', 'Qwen/Qwen2.5-32B-Instruct-GGUF'],
    ['72b', 'Qwen/Qwen2.5-72B-Instruct-GGUF'],
  ],
  'qwen2.5-coder': [
    ['7b', 'Qwen/Qwen2.5-Coder-7B-Instruct-GGUF'],
    ['0.5b', 'Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF'],
    ['1.5b', 'Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF'],
    ['3b', 'Qwen/Qwen2.5-Coder-3B-Instruct-GGUF'],
    ['14b', 'Qwen/Qwen2.5-Coder-14B-Instruct-GGUF'],
    ['32b', 'Qwen/Qwen2.5-Coder-32B-Instruct-GGUF'],
  ],
  qwen3: [
    ['8b', 'Qwen/Qwen3-8B-GGUF'],
    ['0.6b', 'Qwen/Qwen3-0.6B-GGUF'],
    ['1.7b', 'Qwen/Qwen3-1.7B-GGUF'],
    ['4b', 'Qwen/Qwen3-4B-GGUF'],
    ['14b', 'Qwen/Qwen3-14B-GGUF'],
    ['30b', 'Qwen/Qwen3-30B-A3B-GGUF'],
    ['32b', 'Qwen/Qwen3-32B-GGUF'],
  ],
  'qwen3-coder': [['30b', 'unsloth/Qwen3-Coder-30B-A3B-Instruct-GGUF']],
  'qwen3-embedding': [
    ['8b', 'Qwen/Qwen3-Embedding-8B-GGUF'],
    ['0.6b', 'Qwen/Qwen3-Embedding-0.6B-GGUF'],
    ['4b', 'Qwen/Qwen3-Embedding-4B-GGUF'],
  ],
  qwq: [['32b', 'Qwen/QwQ-32B-GGUF']],
  smollm2: [
    ['1.7b', 'bartowski/SmolLM2-1.7B-Instruct-GGUF'],
    ['135m', 'bartowski/SmolLM2-135M-Instruct-GGUF'],
    ['360m', 'bartowski/SmolLM2-360M-Instruct-GGUF'],
  ],
  smollm3: [['3b', 'unsloth/SmolLM3-3B-GGUF']],
  tinyllama: [['1.1b', 'TheBloke/TinyLlama-1.1B-Chat-v1.0-GGUF']],
};
