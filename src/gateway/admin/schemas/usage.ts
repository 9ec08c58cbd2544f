import { Type, type Static } from '../../../schema/index.js';
import { orNull, pageFields, pageOf, SentTime, Text } from './paging.js';

/** Usage of one key, model or day, in one currency. */
export const ShownUsage = Type.Object({
  name: Type.String({ description: 'The id of a key, a model, or a day.' }),
  key_name: orNull(Type.String({ description: 'By key: its present name.' })),
  requests: Type.Integer(),
  estimated_requests: Type.Integer(),
  prompt_tokens: Type.Number(),
  completion_tokens: Type.Number(),
  cached_tokens: Type.Number(),
  reasoning_tokens: Type.Number(),
  charged_tokens: Type.Number(),
  uncharged_tokens: Type.Number(),
  cost: orNull(Type.String()),
  currency: orNull(Type.String()),
});
export type ShownUsage = Static<typeof ShownUsage>;

/** The days, keys and models of usage. Days are whole, in UTC. By key, rows come in pages in the order of ids. */
export const UsageQuery = Type.Object({
  ...pageFields,
  by: Type.Enum(['key', 'model', 'day']),
  from: Type.Optional(SentTime),
  to: Type.Optional(SentTime),
  key_id: Type.Optional(Text),
  model: Type.Optional(Text),
});

/** The same without pages, for a table of all rows. */
export const UsageExport = Type.Omit(UsageQuery, ['cursor', 'limit']);

/** A page of usage. */
export const UsagePage = pageOf(ShownUsage);

/** The window under way of a list of the keys with the most usage. */
export const TopQuery = Type.Object({
  window: Type.Optional(Type.Enum(['day', 'week', 'month', 'total'])),
  currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$', description: 'By money; absent: by tokens.' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
});

/** A key and its usage. */
export const TopKey = Type.Object({
  key_id: Type.String(),
  name: Type.String(),
  prefix: Type.String(),
  tokens: Type.Number(),
  spend: Type.Array(Type.Object({ currency: Type.String(), amount: Type.String() })),
});
export type TopKey = Static<typeof TopKey>;

/** The keys with the most usage, and the usage of all keys together. */
export const TopKeys = Type.Object({
  data: Type.Array(TopKey),
  tokens: Type.Number(),
  spend: Type.Array(Type.Object({ currency: Type.String(), amount: Type.String() })),
});
