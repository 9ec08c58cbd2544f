import { describe, expect, it } from 'vitest';
import { parseChatCompletionRequest } from '../../src/wire/parsing/parse-chat-request.js';
import { AppError } from '../../src/base/index.js';

const parse = (fields: object): object =>
  parseChatCompletionRequest({ messages: [{ role: 'user', content: 'hello' }], ...fields });

function refusal(fields: object): [string, unknown, string] {
  try {
    parse(fields);
  } catch (error) {
    if (error instanceof AppError) return [error.code, error.details['param'], error.message];
    throw error;
  }
  return ['accepted', undefined, ''];
}

/** A field, its smallest and largest value, and values just outside: what is wrong and how it is said. */
const numbers: [string, number, number, [unknown, string][]][] = [
  [
    'n',
    1,
    16,
    [
      [0, 'at least 1'],
      [17, 'at most 16'],
      [1.5, 'of type integer'],
    ],
  ],
  [
    'frequency_penalty',
    -2,
    2,
    [
      [-2.1, 'at least -2'],
      [2.1, 'at most 2'],
      ['1', 'of type number'],
    ],
  ],
  [
    'presence_penalty',
    -2,
    2,
    [
      [-2.1, 'at least -2'],
      [2.1, 'at most 2'],
    ],
  ],
  [
    'repetition_penalty',
    0.01,
    1000,
    [
      [0, 'above 0'],
      [1001, 'at most 1000'],
    ],
  ],
  [
    'repeat_penalty',
    0.01,
    1000,
    [
      [0, 'above 0'],
      [1001, 'at most 1000'],
    ],
  ],
  [
    'repeat_last_n',
    -1,
    1e6,
    [
      [-2, 'at least -1'],
      [0.5, 'of type integer'],
    ],
  ],
  [
    'typical_p',
    0,
    1,
    [
      [-0.1, 'at least 0'],
      [1.1, 'at most 1'],
    ],
  ],
  [
    'min_tokens',
    0,
    1e6,
    [
      [-1, 'at least 0'],
      [0.5, 'of type integer'],
    ],
  ],
  [
    'n_predict',
    -1,
    1e6,
    [
      [-2, 'at least -1'],
      [0, 'at least 1'],
      [0.5, 'of type integer'],
    ],
  ],
  [
    'dry_multiplier',
    0,
    1000,
    [
      [-1, 'at least 0'],
      [1001, 'at most 1000'],
    ],
  ],
  [
    'dry_base',
    1,
    1000,
    [
      [0.9, 'at least 1'],
      [1001, 'at most 1000'],
    ],
  ],
  ['dry_allowed_length', 0, 1e6, [[-1, 'at least 0']]],
  ['dry_penalty_last_n', -1, 1e6, [[-2, 'at least -1']]],
  [
    'xtc_probability',
    0,
    1,
    [
      [-0.1, 'at least 0'],
      [1.1, 'at most 1'],
    ],
  ],
  [
    'xtc_threshold',
    0,
    1,
    [
      [-0.1, 'at least 0'],
      [1.1, 'at most 1'],
    ],
  ],
];

describe('the sampling fields of a request', () => {
  it.each(numbers)('takes %s from %d to %d and says what is wrong with others', (field, least, most, wrong) => {
    expect(parse({ [field]: least })).toHaveProperty(field, least);
    expect(parse({ [field]: most })).toHaveProperty(field, most);
    expect(parse({ [field]: null })).not.toHaveProperty(field);
    for (const [value, rule] of wrong) {
      const code = rule.startsWith('of type') ? 'invalid_type' : 'invalid_value';
      expect(refusal({ [field]: value })).toEqual([code, field, expect.stringContaining(`${field} must be ${rule}`)]);
    }
  });

  it.each(['logprobs', 'ignore_eos', 'parallel_tool_calls', 'include_stop_str_in_output'])(
    'takes %s as true or false',
    (field) => {
      for (const value of [true, false]) expect(parse({ [field]: value })).toHaveProperty(field, value);
      expect(refusal({ [field]: 1 })).toEqual(['invalid_type', field, `${field} must be of type boolean, not 1`]);
    },
  );

  it('takes top_logprobs up to twenty, with logprobs', () => {
    expect(parse({ logprobs: true, top_logprobs: 20 })).toHaveProperty('top_logprobs', 20);
    expect(refusal({ top_logprobs: 0 })[0]).toBe('accepted');
    expect(refusal({ logprobs: true, top_logprobs: 21 }).slice(0, 2)).toEqual(['invalid_value', 'top_logprobs']);
    const message = 'top_logprobs is 3 and needs logprobs to be true; it is';
    expect(refusal({ top_logprobs: 3 })).toEqual(['invalid_value', 'top_logprobs', `${message} absent`]);
    expect(refusal({ top_logprobs: 3, logprobs: false })).toEqual([
      'invalid_value',
      'top_logprobs',
      `${message} false`,
    ]);
  });

  it.each([
    [{}],
    [{ 5: 1, 1535: -100 }],
    [[]],
    [
      [
        [5, 2.5],
        [6, false],
      ],
    ],
  ])('takes the logit_bias %j', (logitBias) => {
    expect(parse({ logit_bias: logitBias })).toHaveProperty('logit_bias', logitBias);
  });

  it.each([
    ['invalid_value', 'logit_bias[5]', { 5: 100.5 }, 'logit_bias[5] must be at most 100; it is 100.5'],
    ['invalid_type', 'logit_bias[5]', { 5: false }, 'logit_bias[5] must be of type number, not false'],
    ['invalid_value', 'logit_bias', { hello: 1 }, 'logit_bias must have token ids as its keys; one is "hello"'],
    ['invalid_value', 'logit_bias', { '-1': 1 }, 'logit_bias must have token ids as its keys; one is "-1"'],
    ['invalid_value', 'logit_bias[0][1]', [[1, -101]], 'logit_bias[0][1] must be at least -100; it is -101'],
    ['invalid_value', 'logit_bias[0][1]', [[1, true]], 'logit_bias[0][1] must be a number or false; it is true'],
    [
      'invalid_type',
      'logit_bias[0][1]',
      [[1, 'x']],
      'logit_bias[0][1] must be of type number or boolean, not a string of 1 characters',
    ],
    ['invalid_value', 'logit_bias[0][2]', [[1, 2, 3]], 'logit_bias[0][2] is one item too many; it is 3'],
    ['invalid_value', 'logit_bias[0]', [[1]], 'logit_bias[0] must have at least 2 items; it is an array of 1 items'],
    [
      'invalid_value',
      'logit_bias[1][0]',
      [
        [1, 1],
        [-1, 1],
      ],
      'logit_bias[1][0] must be at least 0; it is -1',
    ],
    ['invalid_type', 'logit_bias', 7, 'logit_bias must be of type object or array, not 7'],
    [
      'invalid_value',
      'logit_bias',
      Object.fromEntries(Array.from({ length: 4097 }, (_, id) => [id, 1])),
      'logit_bias must have at most 4096 keys; it is an object',
    ],
    [
      'invalid_value',
      'logit_bias',
      Array.from({ length: 4097 }, (_, id) => [id, 1]),
      'logit_bias must have at most 4096 items; it is an array of 4097 items',
    ],
  ])('refuses with %s at %s the logit_bias %j', (code, param, logitBias, message) => {
    expect(refusal({ logit_bias: logitBias })).toEqual([code, param, message]);
  });

  it('takes lists of stop ids and of sequence breakers within their limits', () => {
    const lists = { stop_token_ids: [0, 7], dry_sequence_breakers: ['\n', 'END'] };
    expect(parse(lists)).toMatchObject(lists);
    expect(refusal({ stop_token_ids: [3, -1] }).slice(0, 2)).toEqual(['invalid_value', 'stop_token_ids[1]']);
    expect(refusal({ stop_token_ids: 3 }).slice(0, 2)).toEqual(['invalid_type', 'stop_token_ids']);
    const many = Array.from({ length: 1025 }, () => 1);
    expect(refusal({ stop_token_ids: many }).slice(0, 2)).toEqual(['invalid_value', 'stop_token_ids']);
    const breakers = 'dry_sequence_breakers';
    expect(refusal({ [breakers]: [''] }).slice(0, 2)).toEqual(['invalid_value', `${breakers}[0]`]);
    expect(refusal({ [breakers]: ['x'.repeat(129)] }).slice(0, 2)).toEqual(['invalid_value', `${breakers}[0]`]);
    expect(refusal({ [breakers]: many.map(String) }).slice(0, 2)).toEqual(['invalid_value', breakers]);
  });
});
