// Schemas that lists of the admin API share.
import { Type, type TSchema } from '../../../schema/index.js';

/** Most rows of one page, and the default. */
export const MAX_PAGE = 200;
export const DEFAULT_PAGE = 50;

/** A text of a query or a body that is compared or searched for. */
export const Text = Type.String({ minLength: 1, maxLength: 300 });

/** A time as RFC 3339 writes it. */
export const Time = Type.String({ format: 'date-time' });

/** A time in a query: `2026-11-26`, or with a time and its zone. */
export const SentTime = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}(?:T\\d{2}:\\d{2}(?::\\d{2}(?:\\.\\d{1,9})?)?(?:Z|[+-]\\d{2}:\\d{2}))?$',
});

/** A value, or null. */
export function orNull<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()]);
}

/** Where a page begins, and how much it has. A cursor is a text of the answer before, and of the same filters and order. */
export const pageFields = {
  cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PAGE })),
};

/** A page: `next_cursor` is null at the end. A page may have fewer rows than asked for, or none, and not be the last. */
export function pageOf<T extends TSchema>(item: T) {
  return Type.Object({ data: Type.Array(item), next_cursor: orNull(Type.String()) });
}

/** A table: its first line has the names of the columns. */
export const CsvText = Type.String({ contentMediaType: 'text/csv', description: 'text/csv, as RFC 4180 writes it.' });
