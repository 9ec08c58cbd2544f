import type { TextLogprobs, TokenLogprob } from '../api/index.js';
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

/** Writes the lists of the older completions API for tokens of a text, the first of which begins at `offset` of it. */
export function createTextLogprobWriter(
  tokenizer: Pick<Tokenizer, 'tokenBytes'>,
): (tokens: readonly ContentToken[], offset: number) => TextLogprobs {
  const toEntries = createLogprobWriter(tokenizer);
  return (tokens, offset) => {
    const entries = toEntries(tokens);
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    let next = offset;
    return {
      tokens: entries.map(({ token }) => token),
      token_logprobs: entries.map(({ logprob }) => logprob),
      // From the least likely on, so that of two with the same text the likelier stays.
      top_logprobs: entries.map(({ top_logprobs: top }) =>
        Object.fromEntries(top.toReversed().map(({ token, logprob }) => [token, logprob])),
      ),
      // A token that goes on with a character is where that begins.
      text_offset: entries.map(({ bytes }) => {
        const at = next;
        next += decoder.decode(Uint8Array.from(bytes), { stream: true }).length;
        return at;
      }),
    };
  };
}
