// GGUF's names of weights and those of the weight table. Source: gguf-py, gguf/tensor_mapping.py.

const TOP: ReadonlyMap<string, string> = new Map([
  ['token_embd.weight', 'model.embed_tokens.weight'],
  ['output_norm.weight', 'model.norm.weight'],
  ['output.weight', 'lm_head.weight'],
]);

const IN_LAYER: ReadonlyMap<string, string> = new Map([
  ['attn_norm', 'input_layernorm'],
  ['attn_q', 'self_attn.q_proj'],
  ['attn_k', 'self_attn.k_proj'],
  ['attn_v', 'self_attn.v_proj'],
  ['attn_output', 'self_attn.o_proj'],
  ['attn_q_norm', 'self_attn.q_norm'],
  ['attn_k_norm', 'self_attn.k_norm'],
  ['ffn_norm', 'post_attention_layernorm'],
  ['ffn_gate', 'mlp.gate_proj'],
  ['ffn_up', 'mlp.up_proj'],
  ['ffn_down', 'mlp.down_proj'],
]);

/** The weight table's name of a GGUF tensor; an unknown one keeps its own, and is refused as one that nobody reads. */
export function toTableName(name: string): string {
  const top = TOP.get(name);
  if (top !== undefined) return top;
  const [, layer, part, kind] = /^blk\.(\d{1,4})\.([a-z_]+)\.(weight|bias)$/.exec(name) ?? [];
  const inLayer = part === undefined ? undefined : IN_LAYER.get(part);
  return inLayer === undefined ? name : `model.layers.${layer}.${inLayer}.${kind}`;
}

/**
 * Whether llama.cpp's converter changed the order of this tensor's rows: it does with queries and keys of the llama
 * architecture, whose rope turns neighbouring pairs there. Source: convert_hf_to_gguf.py, LlamaModel.permute.
 */
export function isPermuted(architecture: string, name: string): boolean {
  return architecture === 'llama' && /^blk\.\d+\.attn_[qk]\.(weight|bias)$/.test(name);
}
