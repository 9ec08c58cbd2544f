// How each request of a run goes, by its number alone: the client, the provider and the checker all derive it.

/**
 * What the provider and the client do:
 * - `whole`, `stream`: the provider sends the whole answer with its usage; the client reads all of it.
 * - `untold`: a whole stream without usage.
 * - `leaves`: a stream with its usage, whose client leaves at its first bytes.
 * - `early`: the provider says nothing, and the client leaves before the head.
 * - `cut`: the provider breaks its stream off behind two tokens.
 * - `fails`: the provider answers with an error.
 */
export type Fate = 'whole' | 'stream' | 'untold' | 'leaves' | 'early' | 'cut' | 'fails';

/** 5 % of clients leave, one in five of them early; 2 % of answers are cut. */
export function fateOf(index: number): Fate {
  if (index % 100 === 61) return 'early';
  if (index % 25 === 7) return 'leaves';
  if (index % 50 === 11) return 'cut';
  if (index % 100 === 41) return 'fails';
  if (index % 10 === 3) return 'untold';
  return index % 2 === 0 ? 'stream' : 'whole';
}

/** The usage of an answer, by its provider. */
export interface Tokens {
  readonly prompt: number;
  readonly completion: number;
}

/** The tokens of an answer that is sent to its end. */
export function tokensOf(index: number): Tokens {
  return { prompt: 5 + (index % 40), completion: 3 + (index % 17) };
}

/** Tokens before a provider breaks off. */
export const CUT_AFTER = 2;

/** Models of a run: requests that are under way at once have different ones. */
export const MODELS = 1_000;

/** The model of a request: by it a generation is found whose client never got its id. */
export function modelOf(index: number): string {
  return `demo-${String(index % MODELS).padStart(4, '0')}`;
}

/** The body of a request. */
export function bodyOf(index: number): string {
  const isStream = fateOf(index) !== 'whole' && fateOf(index) !== 'fails';
  return JSON.stringify({ model: modelOf(index), ...(isStream && { stream: true }), messages: MESSAGES });
}

const MESSAGES = [{ role: 'user', content: 'Hi' }];

/** The prompt of every request, where its provider did not tell: 4 tokens for its message, and one for its word. */
export const ESTIMATED_PROMPT = 5;

/** Nano-units a token. */
export const PRICE = { input: 1_000n, output: 2_000n };

/** Micro-units, rounded up once. */
export function costOf({ prompt, completion }: Tokens): bigint {
  return (BigInt(prompt) * PRICE.input + BigInt(completion) * PRICE.output + 999n) / 1_000n;
}

/** The header that brings the number of a request to the provider. */
export const CASE = 'x-case';
