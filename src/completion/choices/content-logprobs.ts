import type { Tokenizer } from '../../tokenizer/index.js';
import type { AnswerDelta } from './answer-reader.js';
import type { TracedToken } from './content-trace.js';
import type { CompletionDelta, ContentLogprob } from '../events.js';

/**
 * Returns a function that gives the bytes of a delta's content tokens and of their alternatives, if the request asked
 * for them.
 */
export function createTokenTeller(tokenizer: Pick<Tokenizer, 'tokenBytes'>): (delta: AnswerDelta) => CompletionDelta {
  const tell = ({ bytes, logprobs: { logprob, top } }: TracedToken): ContentLogprob => ({
    bytes,
    logprob,
    // An id without a token, which a padded model may have, has no bytes.
    top: top.map((other) => ({ bytes: [...tokenizer.tokenBytes(other.tokenId)], logprob: other.logprob })),
  });
  return (delta) => {
    if (delta.type !== 'content' || delta.tokens === undefined) return delta;
    return { type: 'content', text: delta.text, logprobs: delta.tokens.map(tell) };
  };
}
