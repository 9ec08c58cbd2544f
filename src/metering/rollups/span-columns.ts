import { integerOf, textOf, type Row } from '../../database/index.js';
import { readCounts, readHistogram, writeCounts } from './histogram.js';
import type { Span } from './span.js';

/** The columns of a span that are numbers. */
export const SUM_COLUMNS = [
  'requests',
  'errors',
  'aborted',
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'reasoning_tokens',
] as const;
/** The columns of a span that are counts by name, as texts. */
export const COUNT_COLUMNS = ['first_byte', 'duration', 'codes', 'statuses'] as const;

/** A span as rows have it. */
export type SpanColumns = Readonly<Record<(typeof SUM_COLUMNS)[number], number>> &
  Readonly<Record<(typeof COUNT_COLUMNS)[number] | 'costs', string>>;

/** The numbers of a span by the names of columns, which answers have too. */
export function toSums(span: Span): Readonly<Record<(typeof SUM_COLUMNS)[number], number>> {
  return {
    requests: span.requests,
    errors: span.errors,
    aborted: span.aborted,
    prompt_tokens: span.promptTokens,
    completion_tokens: span.completionTokens,
    cached_tokens: span.cachedTokens,
    reasoning_tokens: span.reasoningTokens,
  };
}

/** The values of columns. */
export function toSpanColumns(span: Span): SpanColumns {
  return {
    ...toSums(span),
    first_byte: writeCounts(span.firstByte),
    duration: writeCounts(span.duration),
    codes: writeCounts(span.codes),
    statuses: writeCounts(span.statuses),
    costs: writeCounts(span.costs),
  };
}

/** The span of a row. Columns that a table does not have are empty. */
export function toSpan(row: Row): Span {
  const text = (name: (typeof COUNT_COLUMNS)[number] | 'costs'): string => textOf(row, name) ?? '';
  return {
    requests: integerOf(row, 'requests'),
    errors: integerOf(row, 'errors'),
    aborted: integerOf(row, 'aborted'),
    promptTokens: integerOf(row, 'prompt_tokens'),
    completionTokens: integerOf(row, 'completion_tokens'),
    cachedTokens: integerOf(row, 'cached_tokens'),
    reasoningTokens: integerOf(row, 'reasoning_tokens'),
    firstByte: readHistogram(text('first_byte')),
    duration: readHistogram(text('duration')),
    codes: readCounts(text('codes'), Number),
    statuses: readCounts(text('statuses'), Number),
    costs: readCounts(text('costs'), BigInt),
  };
}
