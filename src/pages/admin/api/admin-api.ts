import {
  segment,
  type ApiAnswer,
  type ApiClient,
  type LoadCall,
  type Query,
  type RowPage,
  type TrafficPart,
  type TrafficSeries,
} from '../../data/index.js';
import type {
  CheckedText,
  EditedConfig,
  Model,
  ModelList,
  ModelRules,
  Saved,
  SentTarget,
  SetField,
  ShownConfig,
  TrialAnswer,
  Version,
  WholeVersion,
} from './config-answers.js';
import type { Key, KeyRules, KeyWithSecret } from './key-answers.js';
import type { Health, LoggedRequest, OneRequest, Overview, TopKey } from './metrics-answers.js';
import type { Imported, NewScan, RuntimeCheck, RuntimeList, RuntimeRules, Scan, ScanList } from './runtime-answers.js';
import type { AuditEntry, AuditVerdict, Reloaded, Session, System } from './system-answers.js';

/** The root of the API. */
const API = '/admin/api';
/** Timeout of a test message in milliseconds. A model may reason for a long time before it answers. */
const TRIAL_MS = 600_000;
/** Timeout of slow requests: identifying a server, a large log, many models. */
const SLOW_MS = 120_000;

/** The cursor and filters of a page of a list. */
export interface PageCall {
  readonly query: Query;
  readonly cursor: string | undefined;
  readonly signal: AbortSignal;
}

/** Rows of one page. */
const LIMIT = 100;

/** All endpoints that the page uses. */
export type AdminApi = ReturnType<typeof createAdminApi>;

/** Creates the calls of the admin API from a client. */
export function createAdminApi(client: ApiClient) {
  const get = <T>(path: string, call?: LoadCall, query?: Query): Promise<ApiAnswer<T>> =>
    client.request<T>('GET', API + path, { ...call, ...(query !== undefined && { query }) });
  const send = <T>(method: string, path: string, body?: unknown, etag?: string): Promise<ApiAnswer<T>> =>
    client.request<T>(method, API + path, { ...(body !== undefined && { body }), ...(etag !== undefined && { etag }) });
  const list = <T>(path: string, { query, cursor, signal }: PageCall): Promise<ApiAnswer<RowPage<T>>> =>
    get<RowPage<T>>(path, { signal }, { ...query, limit: LIMIT, cursor });
  return {
    session: (call: LoadCall) => get<Session>('/session', call),
    overview: (call: LoadCall) => get<Overview>('/overview', call),
    health: (call: LoadCall) => get<Health>('/health', call),

    keys: (call: PageCall) => list<Key>('/keys', call),
    key: (id: string, call?: LoadCall) => get<{ key: Key }>(`/keys/${segment(id)}`, call),
    createKey: (rules: KeyRules) => send<KeyWithSecret>('POST', '/keys', rules),
    changeKey: (id: string, rules: KeyRules, etag: string) =>
      send<{ key: Key }>('PATCH', `/keys/${segment(id)}`, rules, etag),
    rotateKey: (id: string, graceS: number) =>
      send<KeyWithSecret>('POST', `/keys/${segment(id)}/rotate`, { grace_s: graceS }),
    setKeyState: (id: string, state: 'active' | 'disabled' | 'revoked') =>
      send<{ key: Key }>('POST', `/keys/${segment(id)}/state`, { state }),

    resetBudgets: (id: string) => send<{ key: Key }>('POST', `/keys/${segment(id)}/reset-budget`, {}),

    models: (call?: LoadCall) => get<ModelList>('/models', call),
    createModel: (
      model: { readonly id: string; readonly targets: SentTarget[] } & Partial<Omit<Model, 'id' | 'targets'>>,
      etag: string,
    ) => send<Saved>('POST', '/models', model, etag),
    changeModel: (id: string, rules: ModelRules, etag: string) =>
      send<Saved>('PATCH', `/models/${segment(id)}`, rules, etag),
    removeModel: (id: string, etag: string) => send<Saved>('DELETE', `/models/${segment(id)}`, undefined, etag),
    tryModel: (id: string, message: string, maxTokens: number, signal: AbortSignal) =>
      client.request<TrialAnswer>('POST', `${API}/models/${segment(id)}/try`, {
        body: { message, max_tokens: maxTokens },
        signal,
        timeoutMs: TRIAL_MS,
      }),

    runtimes: (call?: LoadCall) => get<RuntimeList>('/runtimes', call),
    createRuntime: (runtime: object, etag: string) => send<Saved>('POST', '/runtimes', runtime, etag),
    changeRuntime: (id: string, rules: RuntimeRules, etag: string) =>
      send<Saved>('PATCH', `/runtimes/${segment(id)}`, rules, etag),
    removeRuntime: (id: string, etag: string) => send<Saved>('DELETE', `/runtimes/${segment(id)}`, undefined, etag),
    checkRuntime: (id: string) =>
      client.request<RuntimeCheck>('POST', `${API}/runtimes/${segment(id)}/check`, { timeoutMs: SLOW_MS }),
    approveRuntime: (id: string, fingerprint: string, etag: string) =>
      send<Saved>('POST', `/runtimes/${segment(id)}/approve`, { fingerprint }, etag),

    scans: (call?: LoadCall) => get<ScanList>('/scans', call),
    startScan: (scan: NewScan) => send<{ scan: Scan }>('POST', '/scans', scan),
    cancelScan: (id: string) => send<{ scan: Scan }>('DELETE', `/scans/${segment(id)}`),
    importFindings: (id: string, urls: readonly string[], etag: string, preview: boolean) =>
      client.request<Imported>('POST', `${API}/scans/${segment(id)}/import`, {
        body: { urls, ...(preview && { preview }) },
        etag,
        timeoutMs: SLOW_MS,
      }),

    requests: (call: PageCall) => list<LoggedRequest>('/requests', call),
    oneRequest: (seq: string, call: LoadCall) => get<OneRequest>(`/requests/${segment(seq)}`, call),

    exportRequests: (query: Query) => client.open(`${API}/requests/export`, { query, timeoutMs: SLOW_MS }),

    topKeys: (query: Query, call: LoadCall) => get<{ data: readonly TopKey[] }>('/usage/top-keys', call, query),
    exportUsage: (query: Query) => client.open(`${API}/usage/export`, { query, timeoutMs: SLOW_MS }),

    config: (call?: LoadCall) => get<ShownConfig>('/config', call),
    configSchema: (call: LoadCall) => get<unknown>('/config/schema', call),
    checkConfig: (text: string, signal: AbortSignal) =>
      client.request<CheckedText>('POST', `${API}/config/validate`, { body: { text }, signal }),
    writeConfig: (text: string, etag: string) => send<EditedConfig>('PUT', '/config', { text }, etag),
    editConfig: (edits: readonly SetField[], etag: string, preview: boolean) =>
      send<EditedConfig>('POST', '/config/edits', { edits, ...(preview && { preview }) }, etag),
    versions: (call: LoadCall) => get<{ data: readonly Version[] }>('/config/versions', call),
    version: (id: string, call: LoadCall) => get<WholeVersion>(`/config/versions/${segment(id)}`, call),
    restoreVersion: (id: string, etag: string) =>
      send<EditedConfig>('POST', `/config/versions/${segment(id)}/restore`, undefined, etag),

    audit: (call: PageCall) => list<AuditEntry>('/audit', call),
    verifyAudit: () => client.request<AuditVerdict>('POST', `${API}/audit/verify`, { timeoutMs: SLOW_MS }),
    exportAudit: (query: Query) => client.open(`${API}/audit/export`, { query, timeoutMs: SLOW_MS }),

    metrics: (query: Query, call: LoadCall) => get<TrafficSeries>('/metrics', call, query),
    breakdown: (query: Query, call: LoadCall) =>
      get<{ data: readonly TrafficPart[] }>('/metrics/breakdown', call, query),

    system: (call: LoadCall) => get<System>('/system', call),
    drain: (graceS: number, stop: boolean) =>
      send<{ drain: 'draining' | 'drained' }>('POST', '/system/drain', { grace_s: graceS, stop }),
    reload: () => send<Reloaded>('POST', '/system/reload'),
  };
}

/** The addresses of its streams. */
export const streams = {
  overview: `${API}/overview/events`,
  scan: (id: string): string => `${API}/scans/${segment(id)}/events`,
  session: `${API}/session`,
} as const;
