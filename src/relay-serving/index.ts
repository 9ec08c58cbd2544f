// Parts that both relaying products share: the relayed APIs and their last events, bounds of tokens, the admission of tokens,
// requests under way, fields of answers. It has no routes, and touches keys and money only through the holds of metering.
export { createOutputLimiter, type OutputLimiter } from './output-limiter.js';
export { beginWhole } from './begin-whole.js';
export { apiOfPath, plainApiOf } from './api-of-path.js';
export { chargedOf } from './charged-of.js';
export { countMedia } from './count-media.js';
export { relayServingCodes } from './errors.js';
export { limitedBody } from './limited-body.js';
export { createLiveRequests, type LiveRequest, type LiveRequests } from './live-requests.js';
export { NO_USAGE } from './nothing-used.js';
export { queryOf } from './query-of.js';
export { fieldsOf, isUpstreamField, rateFieldsOf, toRateFields } from './rate-fields.js';
export { traceOf } from './trace-of.js';
export { readKey } from './read-key.js';
export { createReadOnPool, type ReadOnPool } from './read-on-pool.js';
export { createRelayMetrics } from './relay-metrics.js';
export { recordOutcome, toRelayFields, type RelayRecord } from './relay-record.js';
export {
  createApiErrors,
  passedThrough,
  relayedApiNames,
  relayedApis,
  toFinalBytes,
  type RelayedApi,
} from './relayed-api.js';
export { checkChoices, choicesOf, outputLimitOf, promptBoundOf } from './token-bounds.js';
export { createUsageAsking, type AskedAnswer, type UsageAsking } from './usage-asking.js';
export { withRates } from '../metering/index.js';
