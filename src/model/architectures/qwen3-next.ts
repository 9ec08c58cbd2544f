import { configInvalid, unsupportedConfig, type ConfigReader } from '../config-json.js';
import type { DeltaRuleConfig } from '../config.js';
import { numLayersOf, type DecoderTraits } from '../decoder-config.js';
import { decoderFamily } from '../decoder-family.js';
import { expertMlp } from '../parts/expert-mlp.js';
import { partByLayer, type DecoderPart } from '../parts/part.js';
import { recurrence } from '../parts/recurrence.js';
import { selfAttention } from '../parts/self-attention.js';
import type { GgufFamily, GgufFields } from '../architecture.js';
import { biasesIn } from './llama.js';
import { qwenExperts, qwenExpertFields } from './qwen3-moe.js';

const RECURRENCE = 'linear_attention';
const ATTENTION = 'full_attention';
const MAX_HEADS = 1024;
const MAX_HEAD_DIM = 512;
const MAX_TAPS = 64;

/** Attention on some layers, and a recurrence on the others. */
export const attentionOrRecurrence: DecoderPart = partByLayer(
  { attention: selfAttention(), recurrence },
  ({ deltaRule }, layer) => (deltaRule?.layers[layer] === true ? 'recurrence' : 'attention'),
);

/**
 * Qwen3-Next: three of four layers are a recurrence by the gated delta rule. Attention has a gate, and a part of each head
 * turns. Norms multiply by 1 + weight, but those of a recurrence's heads. Source: transformers' Qwen3NextForCausalLM; for
 * GGUF llama.cpp, llama-model.cpp, LLM_ARCH_QWEN3NEXT.
 */
export const qwen3Next = decoderFamily({
  title: 'Qwen3-Next',
  modelType: 'qwen3_next',
  layer: [attentionOrRecurrence, expertMlp()],
  fields: (config) => ({ ...hybridFields(config), norm_topk_prob: config.raw('norm_topk_prob') ?? true }),
  traits: (config) => hybridExpertTraits(config, 'all'),
  gguf: hybridGguf('qwen3next', { linear_fused: 'rates' }, qwenExpertFields),
});

/** GGUF files of a family with recurrences. `own`: fields of config.json that only its files have. */
export function hybridGguf(
  architecture: string,
  own: Readonly<Record<string, unknown>>,
  experts?: GgufFields,
): GgufFamily {
  return {
    architecture,
    permutesHeads: false,
    biasFields: {},
    layerTensors: { post_attention_norm: 'post_attention_layernorm' },
    negatedExponentials: ['ssm_a'],
    fields: {
      keys: ['rope.dimension_count', ...(experts?.keys ?? [])],
      read: (number, numbers, flags) => ({
        ...experts?.read(number, numbers, flags),
        shared_expert_intermediate_size: number('expert_shared_feed_forward_length'),
        ...readHybrid(number, flags),
        ...own,
      }),
    },
  };
}

/** Fields of config.json about recurrences and rope, from the metadata of a GGUF file. */
function readHybrid(
  number: Parameters<GgufFields['read']>[0],
  flags: Parameters<GgufFields['read']>[2],
): Readonly<Record<string, unknown>> {
  const headDim = number('attention.key_length');
  const turning = number('rope.dimension_count');
  const valueHeads = number('ssm.time_step_rank') ?? 1;
  const numLayers = (number('block_count') ?? 0) - (number('nextn_predict_layers') ?? 0);
  const types = flags('attention.recurrent_layers')?.map((isRecurrent) => (isRecurrent ? RECURRENCE : ATTENTION));
  return {
    hidden_act: 'silu',
    ...(headDim !== undefined && turning !== undefined && { partial_rotary_factor: turning / headDim }),
    ...(types && { layer_types: types.slice(0, numLayers) }),
    full_attention_interval: number('full_attention_interval'),
    linear_conv_kernel_dim: number('ssm.conv_kernel'),
    linear_num_key_heads: number('ssm.group_count'),
    linear_num_value_heads: valueHeads,
    linear_key_head_dim: number('ssm.state_size'),
    linear_value_head_dim: (number('ssm.inner_size') ?? 0) / valueHeads,
  };
}

/** Absent fields have the values of Qwen3NextConfig. */
export function hybridFields(config: ConfigReader): Readonly<Record<string, unknown>> {
  return {
    head_dim: config.raw('head_dim') ?? 256,
    partial_rotary_factor: config.raw('partial_rotary_factor') ?? 0.25,
    intermediate_size: config.raw('intermediate_size') ?? config.raw('shared_expert_intermediate_size'),
  };
}

/** What is common to families with these recurrences. `fused`: the projections that their checkpoints have in one matrix. */
export function hybridTraits(config: ConfigReader, fused: DeltaRuleConfig['fused']): DecoderTraits {
  // Its rows would have to be parted as those of the weights.
  if (config.boolean('attention_bias', false)) throw unsupportedConfig('attention_bias', true, 'false');
  return {
    ...biasesIn(config),
    qkNorm: 'head',
    tiedByDefault: false,
    windows: Array.from({ length: numLayersOf(config) }, () => 0),
    attentionGate: config.boolean('attn_output_gate', true),
    normOffset: 1,
    deltaRule: deltaRuleIn(config, fused),
    reads: ['partial_rotary_factor', 'vision_config'],
  };
}

/** The same with experts. */
export function hybridExpertTraits(config: ConfigReader, fused: DeltaRuleConfig['fused']): DecoderTraits {
  const traits = hybridTraits(config, fused);
  const sharedWidth = config.integer('shared_expert_intermediate_size', { min: 0, max: 1 << 18, fallback: 0 });
  return {
    ...traits,
    experts: { ...qwenExperts(config), sharedWidth },
    reads: [...(traits.reads ?? []), 'num_experts'],
  };
}

function deltaRuleIn(config: ConfigReader, usual: DeltaRuleConfig['fused']): DeltaRuleConfig {
  const numLayers = numLayersOf(config);
  const every = config.integer('full_attention_interval', { min: 1, max: numLayers + 4, fallback: 4 });
  const types =
    config.raw('layer_types') ??
    Array.from({ length: numLayers }, (_, layer) => {
      return (layer + 1) % every === 0 ? ATTENTION : RECURRENCE;
    });
  const known: readonly unknown[] = [RECURRENCE, ATTENTION];
  if (!Array.isArray(types) || types.length !== numLayers || !types.every((type) => known.includes(type))) {
    throw configInvalid('layer_types', types, `an array of ${numLayers} names, each ${known.join(' or ')}`);
  }
  const keyHeads = config.integer('linear_num_key_heads', { min: 1, max: MAX_HEADS, fallback: 16 });
  const valueHeads = config.integer('linear_num_value_heads', { min: 1, max: MAX_HEADS, fallback: 32 });
  if (valueHeads % keyHeads !== 0) {
    throw configInvalid(
      'linear_num_value_heads',
      valueHeads,
      `a multiple of linear_num_key_heads, which is ${keyHeads}`,
    );
  }
  // Two fields that only GGUF files' configs have: llama.cpp's converter changes the order of heads, or parts a matrix.
  return {
    keyHeads,
    valueHeads,
    keyDim: config.integer('linear_key_head_dim', { min: 1, max: MAX_HEAD_DIM, fallback: 128 }),
    valueDim: config.integer('linear_value_head_dim', { min: 1, max: MAX_HEAD_DIM, fallback: 128 }),
    sharing: config.text('linear_head_sharing') === 'apart' ? 'apart' : 'adjacent',
    taps: config.integer('linear_conv_kernel_dim', { min: 2, max: MAX_TAPS, fallback: 4 }),
    fused: config.text('linear_fused') === 'rates' ? 'rates' : usual,
    layers: types.map((type) => type === RECURRENCE),
  };
}
