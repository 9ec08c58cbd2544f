// Accounts, their keys, prices, paid requests and a double-entry ledger on one database. No HTTP, no configuration file.
export type {
  Account,
  AccountKey,
  AccountKeyLimits,
  AccountKeys,
  Accounts,
  AuditEntry,
  Billing,
  BillingCounts,
  Caller,
  Credit,
  CreditedAccount,
  Generation,
  Lease,
  Leases,
  NewPrice,
  Page,
  PageQuery,
  PaidHold,
  PaidOutcome,
  PaidRequest,
  PaidRequests,
  Price,
  Prices,
  UsageSum,
} from './billing.js';
export { recordChange, type Change } from './audit.js';
export { billingCodes } from './errors.js';
export { createRequestId } from './ids.js';
export type { LedgerBooks, LedgerCheck, LedgerGroup } from './ledger/ledger-books.js';
export { mayUse } from './keys/may-use.js';
export { openBilling, type BillingOptions } from './open-billing.js';
export { NANO_DECIMALS } from './prices/cost.js';
export { MICRO_DECIMALS, toAmount } from '../metering/index.js';
export { billingMigrations } from './schema/migrations.js';
