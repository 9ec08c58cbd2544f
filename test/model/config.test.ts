import { describe, expect, it } from 'vitest';
import { parseModelConfig } from '../../src/model/index.js';

const qwen3 = {
  model_type: 'qwen3',
  vocab_size: 64,
  hidden_size: 64,
  intermediate_size: 64,
  num_hidden_layers: 2,
  num_attention_heads: 2,
  head_dim: 32,
};

describe('config.json', () => {
  it.each([
    ['a rope of its own for each kind of layer', { rope_parameters: { full_attention: { rope_theta: 5e5 } } }],
    ['attention in both directions', { is_causal: false }],
    ['attention in both directions, as other families name it', { use_bidirectional_attention: true }],
    ['part of each head turning', { rope_parameters: { partial_rotary_factor: 0.5 } }],
  ])('refuses %s', (_, fields) => {
    expect(() => parseModelConfig({ ...qwen3, ...fields })).toThrowError(
      expect.objectContaining({ code: 'unsupported_config' }),
    );
  });

  it('refuses two ropes that say different things, and takes two that agree', () => {
    const linear = { rope_type: 'linear', factor: 2 };
    expect(() =>
      parseModelConfig({ ...qwen3, rope_parameters: { rope_type: 'default' }, rope_scaling: linear }),
    ).toThrowError(expect.objectContaining({ code: 'config_invalid' }));
    const both = parseModelConfig({ ...qwen3, rope_parameters: { ...linear, rope_theta: 5e5 }, rope_scaling: linear });
    expect(both.ropes[0]).toMatchObject({ theta: 5e5, scaling: { type: 'linear', factor: 2 } });
  });

  it('has no window where sliding_window is null, and the default one where it is absent', () => {
    const sliding = { ...qwen3, use_sliding_window: true, max_window_layers: 1 };
    expect(parseModelConfig({ ...sliding, sliding_window: null }).windows).toEqual([0, 0]);
    expect(parseModelConfig(sliding).windows).toEqual([0, 4096]);
  });

  it('bounds scores and logits of Gemma 2 by its fields: absent as published, not at all by null or 0', () => {
    const boundsOf = (fields: object): readonly number[] => {
      const { attentionSoftCap, logitsSoftCap } = parseModelConfig({ ...qwen3, model_type: 'gemma2', ...fields });
      return [attentionSoftCap, logitsSoftCap];
    };
    expect(boundsOf({})).toEqual([50, 30]);
    expect(boundsOf({ attn_logit_softcapping: 20.5, final_logit_softcapping: 10 })).toEqual([20.5, 10]);
    expect(boundsOf({ attn_logit_softcapping: null, final_logit_softcapping: 0 })).toEqual([0, 0]);
    for (const wrong of [-1, '50', Infinity]) {
      expect(() => boundsOf({ attn_logit_softcapping: wrong })).toThrowError(
        expect.objectContaining({ code: 'config_invalid' }),
      );
    }
  });
});
