// The page's requests for operations, and their results.
import type { ApiAnswer, BearerClient, KeyAnswer, RowPage, TrafficPart, TrafficSeries } from '../../data/index.js';

/** An account with its balance. */
export interface Account {
  readonly id: string;
  readonly name: string;
  readonly state: 'active' | 'suspended';
  readonly currency: string;
  readonly balance: string;
  readonly available: string;
  readonly held: string;
  readonly created_at: string;
}

/** A key of an account, without its secret. */
export interface AccountKey extends KeyAnswer {
  readonly account_id: string;
}

/** A connected gateway. */
export interface Gateway {
  readonly slug: string;
  readonly name: string;
  readonly base_url: string;
  readonly has_credential: boolean;
  readonly state: 'active' | 'disabled';
  readonly offer: 'all' | readonly string[];
  readonly metering: 'inject' | 'observe';
  readonly listed_models: number;
  readonly offered_models: readonly string[];
  readonly synced_at: string | null;
  readonly stale_since: string | null;
  readonly failures: number;
  readonly last_error: string | null;
}

/** A version of a price. */
export interface PriceVersion {
  readonly provider: string;
  readonly model: string;
  readonly version: number;
  readonly effective_from: string;
  readonly currency: string;
  readonly input: string;
  readonly cached_input: string;
  readonly cache_write: string;
  readonly output: string;
  readonly request: string;
  readonly image: string;
  readonly audio: string;
}

/** Summed usage. Columns outside the grouping are absent. */
export interface UsageRow {
  readonly account_id?: string;
  readonly account_name?: string;
  readonly day?: string;
  readonly provider?: string;
  readonly model?: string;
  readonly currency: string;
  readonly requests: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly cost: string;
}

/** Sums of a range of days. */
export interface UsageReport {
  readonly from: string;
  readonly to: string;
  readonly usage: readonly UsageRow[];
}

/** Requests over time, by status, and by error code. */
export interface Traffic extends TrafficSeries {
  readonly statuses: readonly TrafficPart[];
  readonly codes: readonly TrafficPart[];
}

/** A request of any account. */
export interface PaidRequest {
  readonly id: string;
  readonly created_at: string;
  readonly state: 'running' | 'settled' | 'voided';
  readonly provider: string;
  readonly model: string;
  readonly account_id: string;
  readonly account_name: string;
  readonly key_id: string;
  readonly key_name: string;
  readonly usage: {
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
    readonly is_estimated: boolean;
  };
  readonly cost: string;
  readonly currency: string;
  readonly status: number | null;
  readonly duration_ms: number | null;
  readonly first_byte_ms: number | null;
}

/** The health of a node. */
export interface Health {
  readonly nodes: number;
  readonly requests: {
    readonly running: number;
    readonly settled: number;
    readonly voided: number;
    readonly uncharged: number;
  };
  readonly node: {
    readonly uptime_ms: number;
    readonly database_ready: boolean;
    readonly outbox_depth: number;
    readonly config_refused: string | null;
    readonly providers: number;
    readonly gateways: number;
    readonly stale_gateways: number;
    readonly upstreams: readonly {
      readonly id: string;
      readonly running: number;
      readonly queued: number;
      readonly breaker: string;
      readonly closed_models: readonly string[];
    }[];
    readonly tree: unknown;
  } | null;
}

/** The result of a check of the books. */
export interface LedgerCheck {
  readonly ok: boolean;
  readonly groups: number;
  readonly entries: number;
  readonly faults: readonly string[];
}

/** The operations of the hosted API. */
export interface OperatorApi {
  run<T>(operation: string, params: object, signal?: AbortSignal): Promise<ApiAnswer<T>>;
  /** Reads a file as text. */
  file(name: string, params: object): Promise<ApiAnswer<string>>;
  /** Loads a page of a list. `name` is the member of the answer with the rows. */
  page<T>(
    operation: string,
    name: string,
    params: object,
    cursor: string | undefined,
    signal: AbortSignal,
  ): Promise<ApiAnswer<RowPage<T>>>;
}

/** The timeout of a request. A check of a year's books is slow. */
const TIMEOUT_MS = 600_000;
const PAGE = 200;

/** Creates the operations of a client. */
export function createOperatorApi(client: BearerClient): OperatorApi {
  const run: OperatorApi['run'] = (operation, params, signal) =>
    client.request('POST', `/operator/${operation}`, {
      body: params,
      timeoutMs: TIMEOUT_MS,
      ...(signal !== undefined && { signal }),
    });
  const page: OperatorApi['page'] = async (operation, name, params, cursor, signal) => {
    const sent = { ...params, limit: PAGE, ...(cursor !== undefined && { cursor }) };
    const answer = await run<Readonly<Record<string, unknown>>>(operation, sent, signal);
    if (!answer.ok) return answer;
    const value = { data: answer.value[name] as never[], next_cursor: answer.value['next'] as string | null };
    return { ok: true, value, etag: undefined };
  };
  const file: OperatorApi['file'] = (name, params) =>
    client.readText(`/operator/files/${name}`, { method: 'POST', body: params, timeoutMs: TIMEOUT_MS });
  return { run, page, file };
}
