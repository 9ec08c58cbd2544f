import { Type, type TSchema } from '../schema/index.js';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Time = Type.String({ format: 'date-time' });
const Amount = Type.Union([Type.Number(), Type.String()]);

/** A budget and its usage. Tokens are numbers, money is a decimal text. */
export const ShownBudget = Type.Object({
  unit: Type.String({ description: '`tokens`, or a currency.' }),
  window: Type.Enum(['day', 'week', 'month', 'total']),
  limit: Amount,
  used: Amount,
  held: Amount,
  resets_at: orNull(Time),
});

/** The fields of a key with its use now, in the gateway and in the hosted API. A limit of null does not limit. */
export const shownKeyFields = {
  id: Type.String(),
  name: Type.String(),
  prefix: Type.String({ description: 'The beginning of its secret.' }),
  state: Type.Enum(['active', 'disabled', 'revoked', 'expired']),
  models: orNull(Type.Array(Type.String())),
  expires_at: orNull(Time),
  created_at: Time,
  last_used_at: orNull(Time),
  grace_until: orNull(Time),
  limits: Type.Object({
    requests_per_minute: orNull(Type.Number()),
    requests_left: orNull(Type.Number({ description: 'Null: no limit, or several nodes count.' })),
    tokens_per_minute: orNull(Type.Number()),
    tokens_left: orNull(Type.Number()),
    parallel_requests: orNull(Type.Number()),
    running_requests: orNull(Type.Number({ description: 'Null: several nodes count.' })),
    max_output_tokens: orNull(Type.Number()),
    budgets: Type.Array(ShownBudget),
  }),
  used: Type.Object({ day_tokens: Type.Number(), month_tokens: Type.Number(), total_tokens: Type.Number() }),
};
