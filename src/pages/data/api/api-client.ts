import { parseJson } from '../json.js';
import { createStore, type Store } from '../store.js';
import { keepText, readKept, type TextStorage } from '../text-storage.js';
import { CANCELLED, TIMED_OUT, toApiFailure, UNREACHABLE, type ApiAnswer, type ApiFailure } from './api-answer.js';
import { toSearch, type Query } from './query.js';

/**
 * Whether a user is signed in. `unknown`: the page has not asked yet. `interrupted`: the session ended while the page was in use;
 * requests wait for the next one.
 */
export type SessionPhase = 'unknown' | 'in' | 'out' | 'interrupted';

/** The session as views see it. */
export interface SessionState {
  readonly phase: SessionPhase;
}

/** Who asks: ends a request that is no longer wanted. */
export interface LoadCall {
  readonly signal: AbortSignal;
  /** Whether the page asks by itself. Such a request does not keep the session alive. */
  readonly isBackground?: boolean;
}

/** Options of a request. */
export interface RequestOptions extends Partial<LoadCall> {
  readonly query?: Query;
  readonly body?: unknown;
  /** What was read of the thing that is changed. */
  readonly etag?: string;
  /** Absent: `TIMEOUT_MS`. */
  readonly timeoutMs?: number;
}

/** The API of the page's own server, behind a session: a cookie that scripts cannot read, and a csrf token beside it. */
export interface ApiClient {
  readonly session: Store<SessionState>;
  /** Never rejects. After the session ended it waits for the next sign-in, and repeats the refused request. */
  request<T>(method: string, path: string, options?: RequestOptions): Promise<ApiAnswer<T>>;
  /** The same, with the answer as it comes: for streams and files. */
  open(path: string, options?: RequestOptions): Promise<ApiAnswer<Response>>;
  /** Finds out whether the session of the last visit goes on. */
  resume(): Promise<ApiFailure | undefined>;
  /** Undefined: it worked. */
  signIn(credentials: object): Promise<ApiFailure | undefined>;
  signOut(): Promise<void>;
  /** A stream said that the session ended. */
  interrupt(): void;
}

/** Options of a client. */
export interface ApiClientOptions {
  /** Where signing in (`POST`) and out (`DELETE`) is, and who is signed in (`GET`). */
  readonly sessionPath: string;
  /** The key of the storage under which the csrf token is kept. It opens nothing without the cookie. */
  readonly storageKey: string;
  readonly storage: TextStorage | undefined;
  readonly send?: typeof fetch;
}

/** A server that says nothing for so long will not. */
const TIMEOUT_MS = 30_000;
/** Codes of requests without a session in force. Such a request did nothing. */
const NO_SESSION: readonly string[] = ['session_invalid', 'csrf_refused'];

/** Makes one. */
export function createApiClient(options: ApiClientOptions): ApiClient {
  const { sessionPath, storage, storageKey, send = fetch } = options;
  const session = createStore<SessionState>({ phase: 'unknown' });
  // A browser that keeps nothing has it here, until the page is left.
  let csrf = readKept(storage, storageKey);
  const setCsrf = (token: string | undefined): void => {
    csrf = token;
    keepText(storage, storageKey, token);
  };

  const sendOnce = async (method: string, path: string, sent: RequestOptions): Promise<ApiAnswer<Response>> => {
    const { query, body, etag, signal, isBackground = false, timeoutMs = TIMEOUT_MS } = sent;
    const limit = AbortSignal.timeout(timeoutMs);
    const headers = {
      accept: 'application/json',
      ...(csrf !== undefined && { 'x-csrf-token': csrf }),
      ...(isBackground && { 'x-background': 'true' }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(etag !== undefined && { 'if-match': `"${etag}"` }),
    };
    try {
      const response = await send(path + toSearch(query), {
        method,
        headers,
        signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      if (response.ok) return { ok: true, value: response, etag: readEtag(response) };
      const told = parseJson(await response.text());
      return { ok: false, failure: toApiFailure(response.status, told, response.headers.get('retry-after')) };
    } catch {
      return { ok: false, failure: signal?.aborted === true ? CANCELLED : limit.aborted ? TIMED_OUT : UNREACHABLE };
    }
  };

  /** Whether it is worth asking once more: another page of this browser may have signed in, or the user does so now. */
  const regain = async (signal: AbortSignal | undefined, used: string | undefined): Promise<boolean> => {
    const kept = readKept(storage, storageKey);
    if (kept !== undefined && kept !== used) {
      csrf = kept;
      return true;
    }
    if (session.get().phase === 'out') return false;
    if (csrf === used) interrupt();
    return untilSignedIn(session, signal);
  };

  const open = async (method: string, path: string, sent: RequestOptions = {}): Promise<ApiAnswer<Response>> => {
    for (;;) {
      const used = csrf;
      const answer = await sendOnce(method, path, sent);
      if (answer.ok || !NO_SESSION.includes(answer.failure.code)) return answer;
      if (!(await regain(sent.signal, used))) return answer;
    }
  };

  const interrupt = (): void => {
    if (session.get().phase === 'in') session.set({ phase: 'interrupted' });
  };

  return {
    session,
    interrupt,
    open: (path, sent) => open('GET', path, sent),
    async request<T>(method: string, path: string, sent?: RequestOptions): Promise<ApiAnswer<T>> {
      return readAnswer<T>(await open(method, path, sent));
    },
    async resume() {
      const answer = csrf === undefined ? undefined : await sendOnce('GET', sessionPath, {});
      const failure = answer?.ok === false ? answer.failure : undefined;
      session.set({ phase: answer?.ok === true ? 'in' : 'out' });
      return failure === undefined || NO_SESSION.includes(failure.code) ? undefined : failure;
    },
    async signIn(credentials) {
      const answer = await readAnswer<{ csrf_token: string }>(
        await sendOnce('POST', sessionPath, { body: credentials }),
      );
      if (!answer.ok) return answer.failure;
      setCsrf(answer.value.csrf_token);
      session.set({ phase: 'in' });
      return undefined;
    },
    async signOut() {
      // Also where the server is away: the page forgets, and the session ends by itself.
      await sendOnce('DELETE', sessionPath, {});
      setCsrf(undefined);
      session.set({ phase: 'out' });
    },
  };
}

async function readAnswer<T>(answer: ApiAnswer<Response>): Promise<ApiAnswer<T>> {
  if (!answer.ok) return answer;
  try {
    const value = (await answer.value.json()) as T;
    return { ok: true, value, etag: answer.etag };
  } catch {
    return { ok: false, failure: UNREACHABLE };
  }
}

function readEtag({ headers }: Response): string | undefined {
  return /^(?:W\/)?"(.*)"$/.exec(headers.get('etag') ?? '')?.[1];
}

/** Resolves with false when the caller gave up or the user signed out. */
function untilSignedIn(session: Store<SessionState>, signal: AbortSignal | undefined): Promise<boolean> {
  return new Promise((resolve) => {
    const look = (): void => {
      const { phase } = session.get();
      if (phase === 'interrupted' && signal?.aborted !== true) return;
      stop();
      signal?.removeEventListener('abort', look);
      resolve(phase === 'in' && signal?.aborted !== true);
    };
    const stop = session.subscribe(look);
    signal?.addEventListener('abort', look);
    look();
  });
}
