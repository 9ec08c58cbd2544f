import type { CheckpointNames } from '../architecture.js';
import type { ConfigReader } from '../config-json.js';
import { decoderFamily } from '../decoder-family.js';
import { gatedMlp } from '../parts/gated-mlp.js';
import { attentionOrRecurrence, hybridFields, hybridGguf, hybridTraits } from './qwen3-next.js';

/** Beside the text model a checkpoint has a vision tower and a head for the next token but one. */
export const qwen35Checkpoint: CheckpointNames = {
  text: 'model.language_model.',
  others: ['model.visual.', 'mtp.'],
};

/**
 * Qwen3.5 and 3.6, text: Qwen3-Next with a dense MLP and projections apart. Source: transformers' Qwen3_5ForCausalLM; for GGUF
 * llama.cpp, llama-model.cpp, LLM_ARCH_QWEN35.
 */
export const qwen35 = decoderFamily({
  title: 'Qwen3.5, Qwen3.6, dense, text',
  modelType: 'qwen3_5',
  aliases: ['qwen3_5_text'],
  layer: [attentionOrRecurrence, gatedMlp()],
  fields: qwen35Fields,
  traits: (config) => hybridTraits(config, 'none'),
  checkpoint: qwen35Checkpoint,
  gguf: hybridGguf('qwen35', { linear_head_sharing: 'apart' }),
});

/** Fields of a checkpoint with vision are nested. */
export function qwen35Fields(config: ConfigReader): Readonly<Record<string, unknown>> {
  const text = config.object('text_config')?.all ?? {};
  return { ...text, ...hybridFields(config.with(text)) };
}
