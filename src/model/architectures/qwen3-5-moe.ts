import { decoderFamily } from '../decoder-family.js';
import { expertMlp } from '../parts/expert-mlp.js';
import { qwen35Checkpoint, qwen35Fields } from './qwen3-5.js';
import { qwenExpertFields } from './qwen3-moe.js';
import { attentionOrRecurrence, hybridExpertTraits, hybridGguf } from './qwen3-next.js';

/**
 * Qwen3.5 and 3.6 with experts, text. Source: transformers' Qwen3_5MoeForCausalLM; for GGUF llama.cpp, llama-model.cpp,
 * LLM_ARCH_QWEN35MOE.
 */
export const qwen35Moe = decoderFamily({
  title: 'Qwen3.5, Qwen3.6 with experts (35B-A3B), text',
  modelType: 'qwen3_5_moe',
  aliases: ['qwen3_5_moe_text'],
  layer: [attentionOrRecurrence, expertMlp()],
  fields: (config) => ({ norm_topk_prob: true, ...qwen35Fields(config) }),
  traits: (config) => hybridExpertTraits(config, 'none'),
  checkpoint: qwen35Checkpoint,
  gguf: hybridGguf('qwen35moe', { linear_head_sharing: 'apart' }, qwenExpertFields),
});
