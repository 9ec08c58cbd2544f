// Text completions, embeddings and the endpoints without a model, of the recorded corpus.
import type { HttpCase } from './exchange.js';

const TEXT = '/v1/completions';
const EMBED = '/v1/embeddings';
const PROMPT = 'The capital of Norway is';

const texts: Readonly<Record<string, object>> = {
  nothing: {},
  max_tokens: { temperature: 0, max_tokens: 4 },
  'a seed': { temperature: 1, seed: 11, max_tokens: 6 },
  echo: { temperature: 0, max_tokens: 3, echo: true },
  'echo alone': { temperature: 0, max_tokens: 0, echo: true },
  logprobs: { temperature: 0, max_tokens: 3, logprobs: 2 },
  'echo and logprobs': { temperature: 0, max_tokens: 2, logprobs: 1, echo: true },
  'n 2': { temperature: 1, seed: 4, n: 2, max_tokens: 4 },
  'n 2 and echo': { temperature: 1, seed: 4, n: 2, max_tokens: 4, echo: true },
  best_of: { temperature: 1, seed: 4, n: 2, best_of: 2, max_tokens: 3 },
  'several prompts': { prompt: ['One, two,', 'Hello,'], temperature: 0, max_tokens: 4 },
  'several prompts, two choices': { prompt: ['One, two,', 'Hello,'], temperature: 1, seed: 1, n: 2, max_tokens: 3 },
  'token ids': { prompt: [20, 21, 22, 23], temperature: 0, max_tokens: 4 },
  'lists of token ids': {
    prompt: [
      [20, 21],
      [22, 23, 24],
    ],
    temperature: 0,
    max_tokens: 3,
  },
  'a stop string': { temperature: 0, max_tokens: 20, stop: '.' },
  'a kept stop string': { temperature: 0, max_tokens: 20, stop: ['.'], include_stop_str_in_output: true },
  usage: { temperature: 0, max_tokens: 3, stream_options: { include_usage: true } },
  'control tokens': {
    prompt: '<|im_start|>user\nWhat is 12 + 30?<|im_end|>\n<|im_start|>assistant\n',
    temperature: 0,
    max_tokens: 8,
  },
  'control tokens as text': { prompt: '<|im_start|>user\n', parse_special: false, temperature: 0, max_tokens: 4 },
  'an empty suffix': { suffix: '', temperature: 0, max_tokens: 3 },
  penalties: { temperature: 0, max_tokens: 10, frequency_penalty: 1, presence_penalty: 1, repetition_penalty: 1.2 },
  min_tokens: { temperature: 0, min_tokens: 5, max_tokens: 6 },
  ignore_eos: { temperature: 0, ignore_eos: true, max_tokens: 6 },
  cache_salt: { temperature: 0, max_tokens: 3, cache_salt: 's' },
};

const embeddings: Readonly<Record<string, object>> = {
  'a text': { input: 'Hello.' },
  texts: { input: ['Hello.', 'The capital of Norway is Oslo.'] },
  'token ids': { input: [20, 21, 22] },
  'lists of token ids': { input: [[20, 21], [22]] },
  base64: { input: 'Hello.', encoding_format: 'base64' },
  float: { input: 'Hello.', encoding_format: 'float' },
  'an empty text': { input: '' },
  'no input': {},
  'other dimensions': { input: 'Hello.', dimensions: 7 },
  'an unknown format': { input: 'Hello.', encoding_format: 'hex' },
  'an id outside of the vocabulary': { input: [99_999_999] },
};

const plain: readonly (readonly [string, string])[] = [
  ['GET', '/v1/models'],
  ['GET', '/v1/models/demo'],
  ['GET', '/v1/models/none'],
  ['GET', '/v1/models/a%2Fb'],
  ['GET', '/health'],
  ['GET', '/ready'],
  ['GET', '/v1/version'],
  ['GET', '/version'],
  ['GET', '/openapi.json'],
  ['GET', '/'],
  ['GET', '/v1'],
  ['GET', '/v1/chat/completions'],
  ['HEAD', '/v1/models'],
  ['HEAD', '/health'],
  ['HEAD', '/none'],
  ['DELETE', '/v1/models'],
  ['PUT', '/v1/models/demo'],
  ['PATCH', '/v1/completions'],
  ['OPTIONS', '/v1/models'],
  ['GET', '/v1/models?limit=1'],
  ['GET', '/v1/models/'],
  ['GET', '//v1/models'],
  ['GET', '/V1/MODELS'],
  ['GET', '/v1/%6dodels'],
  ['POST', '/none'],
];

/** What is answered from, each case once; streams are stated. */
export const otherCases: readonly HttpCase[] = [
  ...Object.entries(texts).flatMap(([name, own]) => {
    const body = { model: 'demo', prompt: PROMPT, ...(name === 'nothing' && { temperature: 0 }), ...own };
    return [
      { name: `text: ${name}`, path: TEXT, body },
      { name: `text, streamed: ${name}`, path: TEXT, body: { ...body, stream: true } },
    ];
  }),
  ...Object.entries(embeddings).map(([name, own]) => ({
    name: `embeddings: ${name}`,
    path: EMBED,
    body: { model: 'demo', ...own },
  })),
  ...plain.map(([method, path]) => ({ name: `${method} ${path}`, method, path })),
];
