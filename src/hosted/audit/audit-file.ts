import {
  exportEntries,
  exportTable,
  type ReadEntries,
  type ShownAuditEntry,
  type WantedEntries,
} from '../../metering/index.js';
import { Type, type Static } from '../../schema/index.js';

const Text = Type.String({ minLength: 1, maxLength: 200 });
const Time = Type.Integer({ minimum: 0 });

/** The filters of the audit log. `actor`, `action` and `target` are compared from their beginning on. */
export const auditFilters = {
  actor: Type.Optional(Text),
  action: Type.Optional(Text),
  target: Type.Optional(Text),
  outcome: Type.Optional(Type.Enum(['ok', 'refused', 'failed'])),
  from_ms: Type.Optional(Time),
  to_ms: Type.Optional(Time),
};

/** The filters and the format of a copy. */
export const AuditFileAsked = Type.Object({ ...auditFilters, format: Type.Optional(Type.Enum(['ndjson', 'csv'])) });
export type AuditFileAsked = Static<typeof AuditFileAsked>;

/**
 * The parts of an export of the audit log: lines of JSON with a checksum at the end, or a table. Errors: those of
 * `read`.
 */
export function auditFile(
  read: ReadEntries<ShownAuditEntry>,
  { format = 'ndjson', ...asked }: AuditFileAsked,
): AsyncGenerator<string, void> {
  return (format === 'csv' ? exportTable : exportEntries)(read, toWanted(asked));
}

/** Filters as they are compared. */
export function toWanted({ from_ms: fromMs, to_ms: toMs, ...texts }: Omit<AuditFileAsked, 'format'>): WantedEntries {
  return { ...texts, ...(fromMs !== undefined && { fromMs }), ...(toMs !== undefined && { toMs }) };
}
