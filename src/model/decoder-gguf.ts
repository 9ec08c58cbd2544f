import type { GgufNames } from './architecture.js';

/** The common names of all decoders' GGUF files. Source: gguf-py, gguf/tensor_mapping.py and constants.py. */
export const decoderGguf: Pick<GgufNames, 'tensors' | 'neutralValues'> = {
  tensors: {
    'token_embd.weight': 'model.embed_tokens.weight',
    'output_norm.weight': 'model.norm.weight',
    'output.weight': 'lm_head.weight',
  },
  neutralValues: {
    expert_count: [0],
    expert_used_count: [0],
    'attention.sliding_window': [0],
    'attention.causal': [true],
    'attention.clamp_kqv': [0],
    'attention.max_alibi_bias': [0],
    'attention.scale': [],
    attn_logit_softcapping: [0],
    final_logit_softcapping: [0],
    logit_scale: [1],
    residual_scale: [1],
    embedding_scale: [1],
    use_parallel_residual: [false],
    'rope.scaling.type': ['none', 'linear'],
    'rope.scale_linear': [1],
  },
};
