import { Type, type Static } from '../../../schema/index.js';
import { orNull, pageFields, pageOf, SentTime, Text, Time } from './paging.js';

/** An entry of the audit log. */
export const ShownEntry = Type.Object({
  seq: Type.Integer(),
  time: Time,
  sentence: Type.String({ description: 'All of it in words: who did what to what, from which value to which.' }),
  actor: Type.String(),
  action: Type.String(),
  target: Type.String(),
  outcome: Type.String({ description: '`ok`, `refused`, `failed`, or `unknown` where the process ended first.' }),
  reason: Type.String(),
  diff: Type.Unknown({
    description:
      'What changed: `name`, and the fields that differ as `before` and `after`; of gateway.yaml a list of these, `changes`.',
  }),
  prev_hash: Type.String(),
  hash: Type.String(),
});
export type ShownEntry = Static<typeof ShownEntry>;

/** The filters of the audit log. `actor`, `action` and `target` are compared from their beginning on. The newest come first. */
export const AuditQuery = Type.Object({
  ...pageFields,
  actor: Type.Optional(Text),
  action: Type.Optional(Text),
  target: Type.Optional(Text),
  outcome: Type.Optional(Type.Enum(['ok', 'refused', 'failed', 'unknown'])),
  from: Type.Optional(SentTime),
  to: Type.Optional(SentTime),
});

/** A page of entries. */
export const AuditPage = pageOf(ShownEntry);

/** The time range of an export; absent: all entries. */
export const AuditExport = Type.Object({ from: Type.Optional(SentTime), to: Type.Optional(SentTime) });

/** Whether every entry follows from the one before it. `first_bad`: the first that does not. */
export const AuditVerdict = Type.Object({
  ok: Type.Boolean(),
  entries: Type.Integer(),
  first_bad: orNull(Type.Integer()),
});
