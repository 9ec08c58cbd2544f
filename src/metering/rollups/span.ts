import { addCounts, observe, type Histogram } from './histogram.js';

/** Sums of a span of time, which can be added. */
export interface Span {
  requests: number;
  /** Requests with a status from 400 on, or an error, except those whose client left. */
  errors: number;
  aborted: number;
  promptTokens: number;
  completionTokens: number;
  cachedTokens: number;
  reasoningTokens: number;
  /** From the request to the first byte of its answer, and to its end: of answered requests alone. A refusal takes no time. */
  readonly firstByte: Histogram;
  readonly duration: Histogram;
  /** Requests by error code and by status. */
  readonly codes: Map<string, number>;
  readonly statuses: Map<string, number>;
  /** Micro-units by currency. Empty in rollups of the gateway, which has a table for the spend. */
  readonly costs: Map<string, bigint>;
}

/** One request as spans count it. */
export interface Counted {
  readonly status: number | undefined;
  readonly isAborted: boolean;
  readonly errorCode: string | undefined;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  readonly reasoningTokens: number;
  readonly ttftMs: number | undefined;
  readonly durationMs: number | undefined;
  readonly cost?: { readonly currency: string; readonly micro: bigint };
}

/** How the requests of a span ended. The four numbers add up to its requests. */
export interface Outcomes {
  readonly answered: number;
  /** With a status from 400 to 499: the request was wrong, or more than it may be. */
  readonly refused: number;
  /** With a status from 500 on, or an answer that broke off. */
  readonly failed: number;
  /** Whose client left. */
  readonly left: number;
}

/** A client that left before the end. Source: nginx. */
const CLIENT_LEFT = 499;

/** A span in which nothing happened. */
export function emptySpan(): Span {
  return {
    requests: 0,
    errors: 0,
    aborted: 0,
    promptTokens: 0,
    completionTokens: 0,
    cachedTokens: 0,
    reasoningTokens: 0,
    firstByte: new Map(),
    duration: new Map(),
    codes: new Map(),
    statuses: new Map(),
    costs: new Map(),
  };
}

/** Counts a request. */
export function countRequest(span: Span, request: Counted): void {
  const { status, isAborted, errorCode, ttftMs, durationMs, cost } = request;
  const isLeft = isAborted || status === CLIENT_LEFT;
  span.requests++;
  const isError = (status ?? 0) >= 400 || errorCode !== undefined;
  if (isLeft) span.aborted++;
  else if (isError) span.errors++;
  span.promptTokens += request.promptTokens;
  span.completionTokens += request.completionTokens;
  span.cachedTokens += request.cachedTokens;
  span.reasoningTokens += request.reasoningTokens;
  if (!isLeft && !isError) {
    if (ttftMs !== undefined) observe(span.firstByte, ttftMs);
    if (durationMs !== undefined) observe(span.duration, durationMs);
  }
  if (errorCode !== undefined) addOne(span.codes, errorCode);
  if (status !== undefined) addOne(span.statuses, String(status));
  if (cost !== undefined) span.costs.set(cost.currency, (span.costs.get(cost.currency) ?? 0n) + cost.micro);
}

function addOne(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** Tells the requests of a span apart by how they ended. */
export function outcomesOf({ requests, errors, aborted, statuses }: Span): Outcomes {
  let numRefusals = 0;
  for (const [status, count] of statuses) {
    if (status.startsWith('4') && Number(status) !== CLIENT_LEFT) numRefusals += count;
  }
  // A client that left has status 499. One that left with a refusal half sent is in both counts: no more are refused than wrong.
  const refused = Math.min(errors, numRefusals);
  return { answered: requests - errors - aborted, refused, failed: errors - refused, left: aborted };
}

/** Adds one span to another. */
export function addSpan(to: Span, from: Span): void {
  to.requests += from.requests;
  to.errors += from.errors;
  to.aborted += from.aborted;
  to.promptTokens += from.promptTokens;
  to.completionTokens += from.completionTokens;
  to.cachedTokens += from.cachedTokens;
  to.reasoningTokens += from.reasoningTokens;
  addCounts(to.firstByte, from.firstByte);
  addCounts(to.duration, from.duration);
  addCounts(to.codes, from.codes);
  addCounts(to.statuses, from.statuses);
  for (const [currency, micro] of from.costs) to.costs.set(currency, (to.costs.get(currency) ?? 0n) + micro);
}
