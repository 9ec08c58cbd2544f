// Shapes for measurements: published models' dimensions, from the config.json of each.

const common = {
  hidden_act: 'silu',
  rms_norm_eps: 1e-5,
  attention_dropout: 0,
  torch_dtype: 'bfloat16',
};

/** config.json of each shape by its name. */
export const shapes = {
  '1.1b': {
    ...common,
    model_type: 'llama',
    vocab_size: 32_000,
    hidden_size: 2048,
    intermediate_size: 5632,
    num_hidden_layers: 22,
    num_attention_heads: 32,
    num_key_value_heads: 4,
    max_position_embeddings: 4096,
    rope_theta: 10_000,
    tie_word_embeddings: false,
  },
  '0.5b': {
    ...common,
    model_type: 'qwen2',
    rms_norm_eps: 1e-6,
    vocab_size: 151_936,
    hidden_size: 896,
    intermediate_size: 4864,
    num_hidden_layers: 24,
    num_attention_heads: 14,
    num_key_value_heads: 2,
    max_position_embeddings: 32_768,
    rope_theta: 1_000_000,
    use_sliding_window: false,
    tie_word_embeddings: true,
  },
  '8b': {
    ...common,
    model_type: 'llama',
    vocab_size: 128_256,
    hidden_size: 4096,
    intermediate_size: 14_336,
    num_hidden_layers: 32,
    num_attention_heads: 32,
    num_key_value_heads: 8,
    max_position_embeddings: 8192,
    rope_theta: 500_000,
    tie_word_embeddings: false,
  },
} as const;

/** The name of a shape. */
export type ShapeName = keyof typeof shapes;
