import type { TextLogprobs, TokenLogprob } from '../api/index.js';
import type { ContentToken, TokenLikelihood } from './answer-events.js';

/** Replaces minus infinity, which JSON does not have: OpenAI's value. */
const LOWEST_LOGPROB = -9999;

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** The entries of chat completions. */
export function toTokenLogprobs(tokens: readonly ContentToken[]): TokenLogprob[] {
  return tokens.map((token) => ({ ...toEntry(token), top_logprobs: token.top.map(toEntry) }));
}

/** The lists of text completions, for tokens of a text; the first token begins at `offset`. */
export function toTextLogprobs(tokens: readonly ContentToken[], offset: number): TextLogprobs {
  const entries = toTokenLogprobs(tokens);
  const whole = new TextDecoder('utf-8', { ignoreBOM: true });
  let next = offset;
  return {
    tokens: entries.map(({ token }) => token),
    token_logprobs: entries.map(({ logprob }) => logprob),
    // From the least likely on, so that of two tokens with the same text the likelier stays.
    top_logprobs: entries.map(({ top_logprobs: top }) =>
      Object.fromEntries(top.toReversed().map(({ token, logprob }) => [token, logprob])),
    ),
    // A token that continues a character has the offset of that character.
    text_offset: entries.map(({ bytes }) => {
      const at = next;
      next += whole.decode(Uint8Array.from(bytes), { stream: true }).length;
      return at;
    }),
  };
}

function toEntry({ bytes, logprob }: TokenLikelihood): Omit<TokenLogprob, 'top_logprobs'> {
  return {
    token: decoder.decode(Uint8Array.from(bytes)),
    logprob: Math.max(LOWEST_LOGPROB, logprob),
    bytes: [...bytes],
  };
}
