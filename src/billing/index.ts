// Accounts, their keys, prices, paid requests and a double-entry ledger on one database. No HTTP, no configuration file.
export type {
  Account,
  AccountKey,
  AccountKeyLimits,
  AccountKeys,
  Accounts,
  Billing,
  BillingCounts,
  Caller,
  Credit,
  CreditedAccount,
  Lease,
  Leases,
  NewPrice,
  NewAccountKey,
  PaidHold,
  PaidOutcome,
  PaidRequest,
  PaidRequests,
  Payment,
  Price,
  Prices,
} from './billing.js';
export type { Page, PageQuery, TimeRange } from './pages.js';
export type {
  AccountKeyUse,
  Generation,
  Movements,
  RefusedRequest,
  RequestFilters,
  Traffic,
  TrafficQuery,
  UsageGroup,
  AccountUsageQuery,
  UsageSum,
} from './usage/usage-views.js';
export { recordChange, type AuditBooks, type Change } from './audit.js';
export { billingCodes } from './errors.js';
export { createRequestId } from './ids.js';
export type { LedgerBooks, LedgerCheck, LedgerGroup } from './ledger/ledger-books.js';
export { mayUse } from './keys/may-use.js';
export { openBilling, type BillingOptions } from './open-billing.js';
export { NANO_DECIMALS } from './prices/cost.js';
export { billingMigrations } from './schema/migrations.js';
