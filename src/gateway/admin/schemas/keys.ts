import { shownKeyFields } from '../../../api/index.js';
import { Type, type Static } from '../../../schema/index.js';
import { KeyLimitFields } from '../../config/schema/virtual-key.js';
import { orNull, pageFields, pageOf, SentTime, Text } from './paging.js';

const State = Type.Enum(['active', 'disabled', 'revoked', 'expired']);
const Window = Type.Enum(['day', 'week', 'month', 'total']);

/** A key with each limit and its usage now. */
export const ShownKey = Type.Object({
  ...shownKeyFields,
  origin: Type.Enum(['file', 'database']),
  limits: Type.Object({ ...shownKeyFields.limits.properties, running_requests: Type.Number() }),
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
