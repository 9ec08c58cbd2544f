// The layer below the views of pages, without a browser document: observable values, time, API clients and streams.
export type { PageClock } from './clock.js';
export { createStore, type Store } from './store.js';
export { keepText, readKept, type TextStorage } from './text-storage.js';
export { readTheme, type Theme } from './theme.js';
export { fieldsOf, itemsOf, numberOf, parseJson, textOf } from './json.js';
export { readEvents } from './events.js';
export {
  errorOf,
  readDecimal,
  readText,
  readWhole,
  toLocalTime,
  toSentTime,
  type NumberRule,
  type Typed,
} from './read-fields.js';
export { createFormats, type Formats } from './format.js';
export { readAddress, toAddress, type Address } from './address.js';
export { mapAnswer, toApiFailure, UNREACHABLE, type ApiAnswer, type ApiFailure } from './api/api-answer.js';
export {
  createApiClient,
  type ApiClient,
  type LoadCall,
  type RequestOptions,
  type SessionPhase,
  type SessionState,
} from './api/api-client.js';
export { createBearerClient, type BearerClient, type BearerClientOptions } from './api/bearer-client.js';
export { createServerWatch, type ServerState, type ServerWatch, type ServerWatchOptions } from './api/server-watch.js';
export { followEvents, type LiveState } from './api/live-events.js';
export { createPagedRows, MAX_ROWS, type PagedRows, type RowPage, type RowsState } from './api/paged-rows.js';
export { segment, toSearch, type Query } from './api/query.js';
export type { AuditEntry, AuditVerdict } from './audit-entry.js';
export type { Money, TrafficPart, TrafficPoint, TrafficSeries, TrafficTotals } from './traffic-answers.js';
export type { BudgetWindow, KeyAnswer, BudgetUsage, KeyState, KeyUse } from './key-answer.js';
