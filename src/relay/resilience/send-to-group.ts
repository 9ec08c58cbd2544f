import type { UpstreamAnswer } from '../upstream/call.js';
import { reasonOf, upstreamError, type UpstreamReason } from '../upstream/failure.js';
import type { RetryBudget } from './retry-budget.js';
import type { Chosen, Target, TargetGroup, TargetResult } from './target-group.js';

/** A request that may go to any target of a group. */
export interface GroupRequest<T extends Target> {
  readonly group: TargetGroup<T>;
  readonly budget: RetryBudget;
  /** The group's name in errors: the model's name. */
  readonly id: string;
  /** Sends the request to one target; called again for a retry. Errors: those of `Upstream.request`. */
  readonly send: (target: T) => Promise<UpstreamAnswer>;
  /** Of the conversation, see `prefixKey`. */
  readonly affinity?: number | undefined;
  /** The body can be sent again. */
  readonly canRepeat: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Attempts at most, the first among them; 3 when absent. */
  readonly attempts?: number;
}

/** An answer, and its target until it is over. */
export interface GroupAnswer<T extends Target> {
  readonly answer: UpstreamAnswer;
  readonly chosen: Chosen<T>;
  /** How often it was sent. */
  readonly attempts: number;
}

/** Statuses of an overloaded or restarting server that has not begun. Its answer is passed on where no other target is left. */
const RETRIED_STATUSES: readonly number[] = [502, 503, 504];

/**
 * Sends a request to a target of a group. While it fails before the first byte of an answer and the retry budget
 * allows, sends it to others. Every head but 502, 503 and 504 is an answer, 429 too. The caller that takes the answer
 * ends its target. Errors: those of the last attempt, `upstream_busy` if no target is in service.
 */
export async function sendToGroup<T extends Target>(request: GroupRequest<T>): Promise<GroupAnswer<T>> {
  const { group, budget, affinity, signal, attempts = 3 } = request;
  budget.onRequest();
  const tried = new Set<string>();
  let chosen = group.choose(affinity);
  if (chosen === undefined) throw upstreamError(request.id, 'out_of_service');
  let most = attempts;
  for (let count = 1; ; count++) {
    tried.add(chosen.target.id);
    const failed: Attempt = await attempt(request, chosen);
    if (!failed.isRetriable) return { answer: failed.answer, chosen, attempts: count };
    const { isElsewhere = false } = failed;
    if (isElsewhere) most++;
    const isAllowed = request.canRepeat && count < most && signal?.aborted !== true;
    // Another target first, or the same one if it is the only one: its connection may have closed when the request took
    // it.
    const next: Chosen<T> | undefined = isAllowed ? chooseNext(group, affinity, tried, failed.mayAskAgain) : undefined;
    if (next === undefined || (!isElsewhere && !budget.tryTake())) {
      next?.end('unknown');
      if (failed.answer === undefined) throw failed.error;
      return { answer: failed.answer, chosen, attempts: count };
    }
    // The body of a failed answer is not read.
    void failed.answer?.body.return?.();
    chosen.end('failed');
    chosen = next;
  }
}

/** Failures without information on the target. */
const NOT_ITS_OWN: readonly UpstreamReason[] = ['busy', 'exhausted', 'api_missing'];
/**
 * A target that missed its time for the first byte will miss it again. A process without free file descriptors has none for other
 * targets.
 */
const NOT_RETRIED: readonly UpstreamReason[] = ['first_byte_timeout', 'request_timeout', 'exhausted'];

/** The result of one attempt. */
type Attempt =
  | { readonly isRetriable: false; readonly answer: UpstreamAnswer }
  | {
      readonly isRetriable: true;
      readonly answer: UpstreamAnswer | undefined;
      readonly error?: unknown;
      readonly mayAskAgain: boolean;
      /** The target lacks the API: trying another does not count as a retry. */
      readonly isElsewhere?: boolean;
    };

async function attempt<T extends Target>({ send, signal }: GroupRequest<T>, chosen: Chosen<T>): Promise<Attempt> {
  try {
    const answer = await send(chosen.target);
    const isRetriable = RETRIED_STATUSES.includes(answer.status);
    if (answer.status < 500) chosen.answered();
    return isRetriable ? { isRetriable, answer, mayAskAgain: false } : { isRetriable, answer };
  } catch (error) {
    const reason = signal?.aborted === true ? undefined : reasonOf(error);
    chosen.end(reason === undefined || NOT_ITS_OWN.includes(reason) ? 'unknown' : 'failed');
    if (reason === undefined || NOT_RETRIED.includes(reason)) throw error;
    const isElsewhere = reason === 'api_missing';
    return { isRetriable: true, answer: undefined, error, mayAskAgain: reason === 'closed_early', isElsewhere };
  }
}

function chooseNext<T extends Target>(
  group: TargetGroup<T>,
  affinity: number | undefined,
  tried: ReadonlySet<string>,
  mayAskAgain: boolean,
): Chosen<T> | undefined {
  return group.choose(affinity, tried) ?? (mayAskAgain ? group.choose(affinity) : undefined);
}

/**
 * Records the result of a target by an answer that began. A 500 may be caused by the request, so a single one does not
 * open the breaker of a target. 429 and other statuses caused by the request are no failures.
 */
export function resultOf(status: number, error: unknown): TargetResult {
  if (error !== undefined) return reasonOf(error) === undefined ? 'unknown' : 'failed';
  if (RETRIED_STATUSES.includes(status)) return 'failed';
  return status >= 500 ? 'erred' : 'succeeded';
}
