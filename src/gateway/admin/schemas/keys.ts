import { Type, type Static } from '../../../schema/index.js';
import { KeyLimitFields } from '../../config/schema/virtual-key.js';
import { orNull, pageFields, pageOf, SentTime, Text, Time } from './paging.js';

const State = Type.Enum(['active', 'disabled', 'revoked', 'expired']);
const Window = Type.Enum(['day', 'week', 'month', 'total']);

/** A budget and its usage. Tokens are numbers, money is a decimal text. */
export const ShownBudget = Type.Object({
  unit: Type.String({ description: '`tokens`, or a currency.' }),
  window: Window,
  limit: Type.Union([Type.Number(), Type.String()]),
  used: Type.Union([Type.Number(), Type.String()]),
  held: Type.Union([Type.Number(), Type.String()]),
  resets_at: orNull(Time),
});

/** A key with each limit and its usage now. A limit of null does not limit. */
export const ShownKey = Type.Object({
  id: Type.String(),
  name: Type.String(),
  prefix: Type.String(),
  origin: Type.Enum(['file', 'database']),
  state: State,
  models: orNull(Type.Array(Type.String())),
  expires_at: orNull(Time),
  created_at: Time,
  last_used_at: orNull(Time),
  grace_until: orNull(Time),
  limits: Type.Object({
    requests_per_minute: orNull(Type.Number()),
    requests_left: orNull(Type.Number()),
    tokens_per_minute: orNull(Type.Number()),
    tokens_left: orNull(Type.Number()),
    parallel_requests: orNull(Type.Number()),
    running_requests: Type.Number(),
    max_output_tokens: orNull(Type.Number()),
    budgets: Type.Array(ShownBudget),
  }),
  used: Type.Object({ day_tokens: Type.Number(), month_tokens: Type.Number(), total_tokens: Type.Number() }),
  etag: Type.String({ description: 'For If-Match of a change.' }),
});
export type ShownKey = Static<typeof ShownKey>;

/** The filters and the order of the list of keys. `search`: in names, ids and prefixes, in any case. */
export const KeyQuery = Type.Object({
  ...pageFields,
  search: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  state: Type.Optional(State),
  origin: Type.Optional(Type.Enum(['file', 'database'])),
  model: Type.Optional(Text),
  sort: Type.Optional(Type.Enum(['created', 'name', 'last_used', 'tokens'])),
  order: Type.Optional(Type.Enum(['asc', 'desc'])),
});
export type KeyQuery = Static<typeof KeyQuery>;

/** A page of keys; `total` counts the keys that match the filters. */
export const KeyPage = Type.Object({ ...pageOf(ShownKey).properties, total: Type.Integer() });

const rules = {
  name: Type.String({ minLength: 1, maxLength: 100 }),
  models: orNull(Type.Array(Type.String({ minLength: 1, maxLength: 257 }), { maxItems: 1024 })),
  expires_at: orNull(SentTime),
  limits: Type.Object(KeyLimitFields.properties, { additionalProperties: false }),
};

/** A new key. Models of null are all. */
export const NewKey = Type.Object({
  name: rules.name,
  models: Type.Optional(rules.models),
  expires_at: Type.Optional(rules.expires_at),
  limits: Type.Optional(rules.limits),
});

/** A change of a key. Absent fields stay. `limits` replaces all limits: it removes those that it leaves out. */
export const KeyChange = Type.Object(
  {
    name: Type.Optional(rules.name),
    models: Type.Optional(rules.models),
    expires_at: Type.Optional(rules.expires_at),
    limits: Type.Optional(rules.limits),
  },
  { minProperties: 1 },
);
export type KeyChange = Static<typeof KeyChange>;

/** A key that was made or rotated. The secret is in this answer and nowhere else. */
export const KeyWithSecret = Type.Object({ secret: Type.String(), curl: Type.String(), key: ShownKey });

/** One key. */
export const OneKey = Type.Object({ key: ShownKey });

/** A rotation: how long the secret before is still taken; 30 days at most. */
export const KeyRotation = Type.Object({ grace_s: Type.Integer({ minimum: 0, maximum: 30 * 86_400 }) });

/** The new state of a key. */
export const KeyStateChange = Type.Object({ state: Type.Enum(['active', 'disabled', 'revoked']) });

/** The budgets of a key to refill; all if none is named. `unit`: `tokens`, or a currency. */
export const BudgetReset = Type.Object({
  window: Type.Optional(Window),
  unit: Type.Optional(Type.String({ pattern: '^(?:tokens|[A-Z]{3})$' })),
});
