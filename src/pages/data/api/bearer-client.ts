import { parseJson } from '../json.js';
import { createStore, type Store } from '../store.js';
import { keepText, readKept, type TextStorage } from '../text-storage.js';
import { CANCELLED, TIMED_OUT, toApiFailure, UNREACHABLE, type ApiAnswer, type ApiFailure } from './api-answer.js';
import type { RequestOptions, SessionState } from './api-client.js';
import { toSearch } from './query.js';

/** An API whose requests carry a key as Bearer. Without a cookie, no other page can make the browser send it. */
export interface BearerClient {
  readonly session: Store<SessionState>;
  /** Never rejects. A refused key signs the user out. */
  request<T>(method: string, path: string, options?: RequestOptions): Promise<ApiAnswer<T>>;
  /** Checks whether the stored key is still valid. */
  resume(): Promise<ApiFailure | undefined>;
  /** Undefined: the server accepted the key. */
  signIn(key: string): Promise<ApiFailure | undefined>;
  signOut(): void;
  /** Reads a text file, such as CSV. */
  readText(path: string, options?: RequestOptions & { readonly method?: string }): Promise<ApiAnswer<string>>;
  /** Whether the current key begins with this text. */
  hasKey(beginning: string): boolean;
  /** Replaces the current key. */
  replaceKey(key: string): void;
}

/** Options of a client. */
export interface BearerClientOptions {
  /** The request that checks a key. */
  readonly probe: { readonly method: string; readonly path: string; readonly body?: unknown };
  readonly storageKey: string;
  /** The storage of the key, which ends with the tab. Absent: only memory. */
  readonly storage: TextStorage | undefined;
  readonly send?: typeof fetch;
}

/** The default timeout of a request. */
const TIMEOUT_MS = 30_000;

/** Creates a client. */
export function createBearerClient(options: BearerClientOptions): BearerClient {
  const { probe, storage, storageKey, send = fetch } = options;
  const session = createStore<SessionState>({ phase: 'unknown' });
  let key = readKept(storage, storageKey);
  const setKey = (next: string | undefined): void => {
    key = next;
    keepText(storage, storageKey, next);
    session.set({ phase: next === undefined ? 'out' : 'in' });
  };

  const ask = async <T>(
    bearer: string,
    method: string,
    path: string,
    { query, body, signal, timeoutMs = TIMEOUT_MS }: RequestOptions,
    read: (text: string) => unknown = parseJson,
  ): Promise<ApiAnswer<T>> => {
    const limit = AbortSignal.timeout(timeoutMs);
    try {
      const response = await send(path + toSearch(query), {
        method,
        // The request carries no cookie, even if one is set.
        credentials: 'omit',
        headers: {
          accept: 'application/json',
          authorization: `Bearer ${bearer}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (response.ok) return { ok: true, value: read(text) as T, etag: undefined };
      return {
        ok: false,
        failure: toApiFailure(response.status, parseJson(text), response.headers.get('retry-after')),
      };
    } catch {
      return { ok: false, failure: signal?.aborted === true ? CANCELLED : limit.aborted ? TIMED_OUT : UNREACHABLE };
    }
  };

  const tryKey = async (tried: string): Promise<ApiFailure | undefined> => {
    const answer = await ask(tried, probe.method, probe.path, {
      ...(probe.body !== undefined && { body: probe.body }),
    });
    return answer.ok ? undefined : answer.failure;
  };

  const request = async <T>(
    method: string,
    path: string,
    sent: RequestOptions = {},
    read?: (text: string) => unknown,
  ): Promise<ApiAnswer<T>> => {
    const used = key;
    const answer = await ask<T>(used ?? '', method, path, sent, read);
    // The user may have changed the key meanwhile.
    if (!answer.ok && answer.failure.status === 401 && used === key) setKey(undefined);
    return answer;
  };

  return {
    session,
    request: (method, path, sent) => request(method, path, sent),
    readText: (path, { method = 'GET', ...sent } = {}) => request(method, path, sent, (text) => text),
    hasKey: (beginning) => key?.startsWith(beginning) === true,
    replaceKey: setKey,
    async resume() {
      const failure = key === undefined ? undefined : await tryKey(key);
      if (key === undefined || failure?.status === 401) {
        setKey(undefined);
        return undefined;
      }
      if (failure === undefined) session.set({ phase: 'in' });
      return failure;
    },
    async signIn(tried) {
      const failure = await tryKey(tried);
      if (failure === undefined) setKey(tried);
      return failure;
    },
    signOut: () => setKey(undefined),
  };
}
