import type { TokenLogprob } from '../api/index.js';
import type { Tokenizer } from '../tokenizer/index.js';
import type { ContentToken } from './content-trace.js';

/** What stands for minus infinity, which JSON does not have: OpenAI's value. */
const LOWEST_LOGPROB = -9999;

/** Writes the wire's entries for tokens of the content. */
export type ToTokenLogprobs = (tokens: readonly ContentToken[]) => TokenLogprob[];

/** Entries over a vocabulary's bytes. An id without a token, which a padded model may have, has none. */
export function createLogprobWriter(tokenizer: Pick<Tokenizer, 'tokenBytes'>): ToTokenLogprobs {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const entry = (bytes: readonly number[], logprob: number) => ({
    token: decoder.decode(Uint8Array.from(bytes)),
    logprob: Math.max(LOWEST_LOGPROB, logprob),
    bytes: [...bytes],
  });
  return (tokens) =>
    tokens.map(({ bytes, logprobs: { logprob, top } }) => ({
      ...entry(bytes, logprob),
      top_logprobs: top.map((other) => entry([...tokenizer.tokenBytes(other.tokenId)], other.logprob)),
    }));
}
