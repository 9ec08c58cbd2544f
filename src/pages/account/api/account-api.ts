// The client of the account's own API, and the types of its answers.
import type { ApiAnswer, BearerClient, KeyAnswer, Query, RowPage, TrafficSeries } from '../../data/index.js';
import type { StatementPayment, StatementSums } from '../../kit/index.js';

/** The balance of the account. */
export interface Balance {
  readonly account: string;
  readonly name: string;
  readonly currency: string;
  readonly balance: string;
  readonly available: string;
  readonly held: string;
}

/** Usage, summed by the requested groups. */
export interface UsageRow {
  readonly day?: string;
  readonly key_id?: string;
  readonly provider?: string;
  readonly model?: string;
  readonly requests: number;
  readonly prompt_tokens: number;
  readonly cached_tokens: number;
  readonly cache_write_tokens: number;
  readonly completion_tokens: number;
  readonly cost: string;
}

/** One request and its cost. */
export interface Generation {
  readonly id: string;
  readonly created_at: string;
  readonly state: 'running' | 'settled' | 'voided';
  readonly provider: string;
  readonly model: string;
  readonly usage: {
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
    readonly is_estimated: boolean;
  };
  readonly cost: string;
  readonly currency: string;
  readonly status: number | null;
  readonly duration_ms: number | null;
}

/** Payments and refunds of a range of days, with the balance before and after. */
export interface Statement extends StatementSums {
  readonly data: readonly StatementPayment[];
}

/** A key of an account, without its secret. */
export interface AccountKey extends KeyAnswer {
  readonly account_id: string;
}

/** A callable model. Prices are units of the currency per token. */
export interface CatalogModel {
  readonly id: string;
  readonly name: string;
  readonly model: string;
  readonly provider: string;
  readonly base_url: string;
  readonly currency: string;
  readonly context_length: number | null;
  readonly is_ready: boolean;
  readonly pricing: {
    readonly prompt: string;
    readonly completion: string;
    readonly input_cache_read: string;
    readonly input_cache_write: string;
  };
}

/** The calls of the page. */
export interface AccountApi {
  balance(signal: AbortSignal): Promise<ApiAnswer<Balance>>;
  usage(groupBy: string, signal: AbortSignal): Promise<ApiAnswer<{ readonly data: readonly UsageRow[] }>>;
  /** Requests over time; an empty `to` is now. */
  traffic(time: { readonly from: string; readonly to: string }, signal: AbortSignal): Promise<ApiAnswer<TrafficSeries>>;
  generations(cursor: string | undefined, signal: AbortSignal): Promise<ApiAnswer<RowPage<Generation>>>;
  statement(days: { readonly from: string; readonly to: string }, signal: AbortSignal): Promise<ApiAnswer<Statement>>;
  /** The statement as CSV. */
  statementCsv(days: { readonly from: string; readonly to: string }): Promise<ApiAnswer<string>>;
  /** Gives a key a new secret, which only this answer contains. */
  rotateKey(id: string, graceMs: number): Promise<ApiAnswer<{ readonly secret: string }>>;
  keys(signal: AbortSignal): Promise<ApiAnswer<{ readonly data: readonly AccountKey[] }>>;
  catalog(signal: AbortSignal): Promise<ApiAnswer<{ readonly data: readonly CatalogModel[] }>>;
}

/** The API below `root`. */
export function createAccountApi(client: BearerClient, root: string): AccountApi {
  const get = <T>(path: string, query: Query, signal: AbortSignal): Promise<ApiAnswer<T>> =>
    client.request('GET', `${root}v1/${path}`, { query, signal });
  return {
    balance: (signal) => get('balance', {}, signal),
    usage: (groupBy, signal) => get('usage', { group_by: groupBy }, signal),
    traffic: (time, signal) => get('usage/series', time, signal),
    generations: (cursor, signal) => get('generations', { limit: '100', cursor: cursor ?? '' }, signal),
    statement: (days, signal) => get('statement', { ...days, limit: '1000' }, signal),
    statementCsv: (days) =>
      client.readText(`${root}v1/statement`, { query: { ...days, limit: '1000', format: 'csv' } }),
    rotateKey: (id, graceMs) =>
      client.request('POST', `${root}v1/keys/${encodeURIComponent(id)}/rotate`, { body: { grace_s: graceMs / 1_000 } }),
    keys: (signal) => get('keys', { limit: '1000' }, signal),
    catalog: (signal) => get('catalog', {}, signal),
  };
}
