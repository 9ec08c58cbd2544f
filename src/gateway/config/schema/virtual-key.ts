import { Type, type Static } from '../../../schema/index.js';
import { annotate, strict } from '../../../yaml-file/index.js';
import { MAX_BUDGETS, MAX_KEY_MODELS } from '../limits.js';
import { currency, maxOutputTokens } from './texts.js';

const window = Type.Enum(
  ['day', 'week', 'month', 'total'],
  annotate('When the budget is full again: at the start of a day, week (Monday) or month in UTC, or never.'),
);

/** A budget in tokens. */
export const TokenBudget = Type.Object(
  {
    tokens: Type.Integer({
      minimum: 1,
      maximum: 1_000_000_000_000,
      ...annotate('Prompt and completion tokens together.'),
    }),
    window,
  },
  { ...strict, ...annotate('A budget in tokens.', { title: 'a budget in tokens' }) },
);

/** A budget in money. */
export const MoneyBudget = Type.Object(
  {
    amount: Type.String({
      minLength: 1,
      maxLength: 32,
      ...annotate('What may be spent, by the prices of the models.', {
        expected: "a decimal number above 0 in quotes such as '20.00'",
        check: 'amount',
      }),
    }),
    currency,
    window,
  },
  { ...strict, ...annotate('A budget in money.', { title: 'a budget in money' }) },
);

const Budget = Type.Union(
  [TokenBudget, MoneyBudget],
  annotate('One budget.', { title: 'a budget', expected: '{ tokens, window } or { amount, currency, window }' }),
);

/** Limits are independent of each other; an absent one does not limit. */
export const KeyLimitFields = Type.Object(
  {
    requests_per_minute: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000_000, ...annotate('Requests a minute.') }),
    ),
    tokens_per_minute: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000_000_000_000, ...annotate('Prompt and completion tokens a minute.') }),
    ),
    parallel_requests: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100_000, ...annotate('Requests at the same time.') }),
    ),
    max_output_tokens: Type.Optional(maxOutputTokens('Most completion tokens of one answer.')),
    budget: Type.Optional(
      Type.Union(
        [
          Budget,
          Type.Array(Budget, {
            minItems: 1,
            maxItems: MAX_BUDGETS,
            ...annotate('Several budgets.', { title: 'budgets' }),
          }),
        ],
        annotate('A budget, or a list of several, which hold together.', {
          title: 'a budget',
          expected: '{ tokens, window }, { amount, currency, window }, or a list of these',
        }),
      ),
    ),
  },
  {
    ...strict,
    default: {},
    ...annotate('The limits of the key. A missing one does not limit.', { title: 'limits' }),
  },
);
export type KeyLimitFields = Static<typeof KeyLimitFields>;

/** A key of the gateway's own clients. */
export const VirtualKey = Type.Object(
  {
    id: Type.String({
      pattern: '^vk_[0-9A-Za-z]{1,40}$',
      ...annotate('Stays the same when the key is rotated.', {
        expected: 'vk_ and 1 to 40 letters and digits',
        isSecret: true,
      }),
    }),
    name: Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: '^[^\\x00-\\x1f\\x7f]+$',
      ...annotate('For people: who uses it, or what for.', { expected: 'text of 1 to 100 characters in one line' }),
    }),
    prefix: Type.String({
      pattern: '^gwk_[0-9A-Za-z]{6}$',
      ...annotate('The beginning of the key, which lists and logs may show.', {
        expected: 'gwk_ and 6 letters and digits, the beginning of the key',
        isSecret: true,
      }),
    }),
    hash: Type.String({
      pattern: '^[0-9a-f]{64}$',
      ...annotate('The SHA-256 of the whole key. The file never has the key itself.', {
        expected: 'the SHA-256 of the key, 64 hexadecimal digits in lower case',
        isSecret: true,
      }),
    }),
    models: Type.Union(
      [
        Type.Null(),
        Type.Array(
          Type.String({
            pattern: '^(?:[\\x21-\\x29\\x2b-\\x7e]{1,256}\\*?|\\*)$',
            ...annotate('The id of a model, or its beginning and `*`.', {
              expected: 'the id of a model, or its beginning and *',
            }),
          }),
          { maxItems: MAX_KEY_MODELS, ...annotate('Models.', { title: 'models' }) },
        ),
      ],
      annotate(
        'The models that it may use: `null` for all, `[]` for none. A `*` at the end of a name matches any text.',
        {
          advice: 'write null for all models, [] for none',
          expected: 'null, or a list of ids of models',
        },
      ),
    ),
    expires_at: Type.Union(
      [
        Type.Null(),
        Type.String({
          minLength: 1,
          maxLength: 40,
          ...annotate('A time.', { expected: 'a time such as 2027-01-31T00:00:00Z', check: 'timestamp' }),
        }),
      ],
      {
        default: null,
        ...annotate('When it stops working, with its time zone. `null`: never.', {
          expected: 'null, or a time such as 2027-01-31T00:00:00Z',
          advice: 'write null for never',
        }),
      },
    ),
    limits: KeyLimitFields,
  },
  { ...strict, ...annotate('A key of a client.', { title: 'a virtual key' }) },
);
export type VirtualKey = Static<typeof VirtualKey>;
