import { Type, type Static } from '../../../schema/index.js';
import { orNull, pageFields, pageOf, SentTime, Text, Time } from './paging.js';

/** A request: metadata only. */
export const ShownRequest = Type.Object({
  seq: Type.Integer(),
  time: Time,
  request_id: Type.String(),
  key_id: orNull(Type.String()),
  key_name: orNull(Type.String({ description: 'The present name of the key; null if no key has this id.' })),
  route: orNull(Type.String()),
  model: orNull(Type.String()),
  upstream_model: orNull(Type.String()),
  runtime: orNull(Type.String()),
  stream: Type.Boolean(),
  status: orNull(Type.Integer({ description: '499: the client left.' })),
  prompt_tokens: Type.Integer(),
  completion_tokens: Type.Integer(),
  reasoning_tokens: Type.Integer(),
  cached_tokens: Type.Integer(),
  cache_write_tokens: Type.Integer(),
  estimated: Type.Boolean(),
  first_byte_ms: orNull(Type.Integer()),
  duration_ms: orNull(Type.Integer()),
  bytes_in: Type.Integer(),
  bytes_out: Type.Integer(),
  aborted: Type.Boolean(),
  error_code: orNull(Type.String()),
});
export type ShownRequest = Static<typeof ShownRequest>;

/** The filters of the request log. `failed`: with a status from 400 on, or an error. The newest come first, or the oldest. */
export const RequestQuery = Type.Object({
  ...pageFields,
  key_id: Type.Optional(Text),
  model: Type.Optional(Text),
  runtime: Type.Optional(Text),
  request_id: Type.Optional(Text),
  status: Type.Optional(Type.Integer({ minimum: 100, maximum: 599 })),
  error_code: Type.Optional(Text),
  failed: Type.Optional(Type.Boolean()),
  from: Type.Optional(SentTime),
  to: Type.Optional(SentTime),
  order: Type.Optional(Type.Enum(['asc', 'desc'])),
});

/** The same for a table of all of them: no cursor, no limit. */
export const RequestExport = Type.Omit(RequestQuery, ['cursor', 'limit']);

/** A page of requests. Rows that are rare under several filters may need several pages, also empty ones. */
export const RequestPage = pageOf(ShownRequest);

/** The events of one request, in their order. */
export const TimelineEvent = Type.Object({
  event: Type.Enum(['received', 'admitted', 'first_byte', 'ended']),
  at_ms: Type.Integer({ description: 'Since the request came.' }),
  time: Time,
  note: orNull(Type.String()),
});

/** One request. */
export const OneRequest = Type.Object({
  request: ShownRequest,
  attempts: orNull(Type.Integer({ description: 'How many times the gateway sent it to a runtime.' })),
  tokens_per_s: orNull(Type.Number()),
  timeline: Type.Array(TimelineEvent),
});
