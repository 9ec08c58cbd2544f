/**
 * Control tokens that end an answer, whatever ids the model's files have: fine-tuned models often name only the token
 * that ends a text. Source: llama.cpp, llama-vocab.cpp, special_eog_ids.
 */
const END_TOKENS: readonly string[] = [
  '<|eot_id|>',
  '<|im_end|>',
  '<|end|>',
  '<|return|>',
  '<end_of_turn>',
  '<|endoftext|>',
  '<|end_of_text|>',
  '<|eom_id|>',
  '<EOT>',
];

/** In OpenAI's harmony format `<|end|>` ends a message of an answer; these two end the answer. Source: the same. */
const HARMONY: readonly string[] = ['<|return|>', '<|call|>'];

/** The texts that `endTokenIds` looks up, each once. */
export const endTexts: readonly string[] = [...new Set([...END_TOKENS, ...HARMONY])];

/** The ids of tokens that end an answer by their text. `idOf` knows control tokens only: the same text may be an ordinary token. */
export function endTokenIds(idOf: (controlToken: string) => number | undefined): number[] {
  const isHarmony = HARMONY.every((token) => idOf(token) !== undefined);
  return END_TOKENS.flatMap((token) => (isHarmony && token === '<|end|>' ? [] : (idOf(token) ?? [])));
}
