// Keys, reservations, usage and audit of paid or limited requests. No HTTP, no configuration file, no wire.
export { compareFacts, keyFacts, type FactChange, type Facts } from './audit/audit-changes.js';
export {
  compareFiles,
  toFileFacts,
  withoutUrlSecrets,
  type FileChanges,
  type FileFacts,
} from './audit/file-changes.js';
export { changesSinceLast, keepLast } from './audit/last-file.js';
export {
  AUDIT_GENESIS_HASH,
  toChainedEntry,
  type AuditActor,
  type AuditEntry,
  type AuditEvent,
} from './audit/audit-entry.js';
export { toAuditEntry } from './audit/audit-row.js';
export { auditEndOf } from './audit/audit-end-of.js';
export { changed, constantWords, made, same, withChanges } from './audit/deeds.js';
export type { AuditWords } from './audit/entry-sentence.js';
export { showAuditEntry, type ShownAuditEntry } from './audit/shown-entry.js';
export {
  AUDIT_BATCH,
  exportEntries,
  exportTable,
  verifyChain,
  type AuditCheck,
  type ReadEntries,
  type WantedEntries,
} from './audit/walk-entries.js';
export type { AuditIntent } from './audit/audit-intents.js';
export { ADMIN_TOKEN_FILE } from './admin-token/admin-token-file.js';
export type { AuditEnd, AuditQuery, ActionOutcome } from './audit/audit-log.js';
export type { AuditPage, AuditPageQuery } from './audit/audit-pages.js';
export type { BudgetChoice } from './budget-resets.js';
export type { LoggedRequest, RequestQuery, RequestRow } from './database/request-table.js';
export type { RequestPage, RequestPageQuery, RequestCursor } from './database/request-pages.js';
export type { KeyUsagePage, KeyUsageQuery, UsageOfDay } from './database/usage-pages.js';
export type { UsageQuery, UsageRow } from './database/usage-table.js';
export { meteringCodes } from './errors.js';
export { OpenHold, type Hold } from './holds/hold.js';
export type { NewVirtualKey } from './keys/key-keeper.js';
export type { AuthenticatedKey, KeyEndListener } from './keys/key-list.js';
export type { Budget, Grace, KeyDefinition, KeyLimits, KeyRecord, KeyState } from './keys/key-record.js';
export {
  createKeySecret,
  parseKeySecret,
  type KeySecret,
  type ParsedSecret,
  type SecretKind,
} from './keys/key-secret.js';
export type { KeySort, KeyCursor, KeySelection } from './keys/key-selection.js';
export type { KeyRules } from './keys/key-table.js';
export { createId, createKeyId } from './keys/key-id.js';
export { showKey, type UsedKey } from './keys/shown-key.js';
export { toCount } from './ledger/checks.js';
export type { AdmitRequest, Outcome } from './ledger/hold-record.js';
export { toRateDetails, toRateState, withRates } from './rate-details.js';
export { SlidingWindow } from './ledger/sliding-window.js';
export type { TopKeys, TopQuery, UsedByKey } from './ledger/top-keys.js';
export type {
  BudgetState,
  KeyUsage,
  Meter,
  MeterAudit,
  MeterRollups,
  RateLimitState,
  RateState,
  Recovered,
} from './meter.js';
export { openMeter, type MeterOptions } from './open-meter.js';
export { tokenCostMicro, toAmountMicro, toMoney, toTokenPrice, type TokenPrice, type WrittenPrice } from './price.js';
export { createMeterClient, type MeterClient, type MeterClientOptions } from './remote/meter-client.js';
export type { MeterLink } from './remote/meter-link.js';
export { openMeterLink } from './remote/port-link.js';
export { serveMeter } from './remote/serve-meter.js';
export { stores } from '../database/index.js';
export type { PartSum, PlacedSpan, SpendRow } from './rollups/rollup-table.js';
export { SpanCounter, type CountedSpan } from './rollups/span-counter.js';
export { COUNT_COLUMNS, SUM_COLUMNS, toSpan, toSpanColumns } from './rollups/span-columns.js';
export {
  addSpan,
  countRequest,
  emptySpan,
  outcomesOf,
  type Counted,
  type Outcomes,
  type Span,
} from './rollups/span.js';
export { KEPT_DAYS, startOf, STEP_MS, type Scope, type ScopeKind, type RollupStep } from './rollups/steps.js';
export {
  planSeries,
  showCounts,
  showSeries,
  showTotals,
  sumSpans,
  type SeriesPlan,
  type SeriesTime,
} from './rollups/time-series.js';
export type { Store, StoreKind } from '../database/index.js';
export { MAX_GRACE_MS } from './limits.js';
export { dayOf, windowEndMs, windowStart, WINDOWS, type Window } from './window.js';
