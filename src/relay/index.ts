// Byte-exact forwarding of requests to upstreams: readers of bodies, a client, resilience. No keys, budgets or policy.
export type { AnswerEnd, AnswerHooks, AnswerOutcome, ReadOn, AnswerVerdict } from './answer/answer-hooks.js';
export { RelayedBody } from './answer/relayed-body.js';
export { dataOf, SseBlocks } from './answer/sse-blocks.js';
export { NO_TOKENS, type AnswerUsage, type CompletionCount } from './answer/answer-usage.js';
export type { ApiDialect } from './answer/dialect.js';
export { anyAnswer } from './answer/any-answer.js';
export { dialects, type DialectName } from './dialects/index.js';
export { relayCodes } from './errors.js';
export { fieldOf, toUpstreamFields, type RequestFieldChanges } from './headers/fields.js';
export { estimatePrompt } from './request/estimate-prompt.js';
export { canAskUsage, editRequest, type RequestChanges } from './request/edit-request.js';
export {
  RequestScan,
  scanRequest,
  scanRequestInTurns,
  type ByteSpan,
  type RequestFacts,
} from './request/scan-request.js';
export { prefixKey } from './resilience/prefix-key.js';
export { CircuitBreaker, DEFAULT_BREAKER, type BreakerState } from './resilience/circuit-breaker.js';
export { DEFAULT_RETRY_BUDGET, RetryBudget, type RetryBudgetOptions } from './resilience/retry-budget.js';
export { resultOf, sendToGroup, type GroupAnswer, type GroupRequest } from './resilience/send-to-group.js';
export {
  TargetGroup,
  type Chosen,
  type Target,
  type TargetGroupOptions,
  type TargetResult,
  type TargetState,
} from './resilience/target-group.js';
export { toResponse, type RelayedResponse, type ResponseOptions } from './to-response.js';
export type { UpstreamAnswer } from './upstream/call.js';
export { apiMissing, reasonOf, reasonWords, type UpstreamReason } from './upstream/failure.js';
export { DEFAULT_UPSTREAM_LIMITS, type UpstreamLimits } from './upstream/limits.js';
export type { ProveServer, ServerProof } from './upstream/proven-connector.js';
export { createUpstream, type Upstream, type UpstreamOptions, type UpstreamRequest } from './upstream/upstream.js';
