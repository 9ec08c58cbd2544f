import { panelNames } from '../column-panels.js';
import type { ModelConfig } from '../config.js';
import { matrix, panels, vector, whole, type RowSource } from '../weight-table.js';
import type { DecoderPart } from './part.js';

/**
 * Grouped-query self-attention with rope, after an RMS norm. QKV is one matrix, laid out by KV head, so that a thread owns
 * whole heads. Biases and norms of query and key heads as the config has them.
 */
export const selfAttention: DecoderPart = {
  ops(config, layer) {
    const at = `layers.${layer}`;
    return [
      {
        op: 'attention',
        layer,
        norm: { weight: `${at}.attentionNorm` },
        weight: `${at}.qkv`,
        ...(config.qkvBias && { bias: `${at}.qkvBias` }),
        ...(config.qkNorm && { queryNorm: `${at}.queryNorm`, keyNorm: `${at}.keyNorm` }),
        window: config.windows[layer] ?? 0,
      },
      {
        op: 'linear',
        input: 'attention',
        weights: panelNames(`${at}.attentionOutput`, config.numHeads * config.headDim),
        ...(config.attentionOutputBias && { bias: `${at}.attentionOutputBias` }),
        output: 'hidden',
        epilogue: 'add',
      },
    ];
  },

  weights(config, layer) {
    const { hiddenSize, numHeads, headDim } = config;
    const at = `layers.${layer}`;
    const from = `model.layers.${layer}`;
    return [
      vector(`${at}.attentionNorm`, [whole(`${from}.input_layernorm.weight`, hiddenSize)]),
      matrix(`${at}.qkv`, 'layer', hiddenSize, byKvHead(config, `${from}.self_attn`, 'weight')),
      ...panels(`${at}.attentionOutput`, numHeads * headDim, whole(`${from}.self_attn.o_proj.weight`, hiddenSize)),
    ];
  },

  smallWeights(config, layer) {
    const { hiddenSize, headDim } = config;
    const at = `layers.${layer}`;
    const from = `model.layers.${layer}.self_attn`;
    return [
      ...(config.qkvBias ? [vector(`${at}.qkvBias`, byKvHead(config, from, 'bias'))] : []),
      ...(config.attentionOutputBias
        ? [vector(`${at}.attentionOutputBias`, [whole(`${from}.o_proj.bias`, hiddenSize)])]
        : []),
      ...(config.qkNorm
        ? [
            vector(`${at}.queryNorm`, [whole(`${from}.q_norm.weight`, headDim)]),
            vector(`${at}.keyNorm`, [whole(`${from}.k_norm.weight`, headDim)]),
          ]
        : []),
    ];
  },

  ggufNames: {
    attn_norm: 'input_layernorm',
    attn_q: 'self_attn.q_proj',
    attn_k: 'self_attn.k_proj',
    attn_v: 'self_attn.v_proj',
    attn_output: 'self_attn.o_proj',
    attn_q_norm: 'self_attn.q_norm',
    attn_k_norm: 'self_attn.k_norm',
  },
};

/** For each KV head: the rows of its query heads, of its key, of its value. */
function byKvHead(config: ModelConfig, from: string, part: 'weight' | 'bias'): RowSource[] {
  const { headDim, numKvHeads } = config;
  const queryRows = (config.numHeads / numKvHeads) * headDim;
  return Array.from({ length: numKvHeads }, (_, head) => [
    { tensor: `${from}.q_proj.${part}`, start: head * queryRows, count: queryRows },
    { tensor: `${from}.k_proj.${part}`, start: head * headDim, count: headDim },
    { tensor: `${from}.v_proj.${part}`, start: head * headDim, count: headDim },
  ]).flat();
}
