import { parseJson } from '../json.js';
import { createStore, type Store } from '../store.js';
import { keepText, readKept, type TextStorage } from '../text-storage.js';
import { CANCELLED, TIMED_OUT, toApiFailure, UNREACHABLE, type ApiAnswer, type ApiFailure } from './api-answer.js';
import { toSearch, type Query } from './query.js';

/**
 * Whether a user is signed in. `unknown`: the page has not asked the server yet. `interrupted`: the session ended
 * during use, and requests wait for the next one.
 */
export type SessionPhase = 'unknown' | 'in' | 'out' | 'interrupted';

/** The session state for views. */
export interface SessionState {
  readonly phase: SessionPhase;
}

/** Options of a load: the signal that ends an unneeded request. */
export interface LoadCall {
  readonly signal: AbortSignal;
  /** Whether the page sends the request on its own. Such a request does not prolong the session. */
  readonly isBackground?: boolean;
}

/** Options of a request. */
export interface RequestOptions extends Partial<LoadCall> {
  readonly query?: Query;
  readonly body?: unknown;
  /** The etag of the version that the change is based on. */
  readonly etag?: string;
  /** Absent: `TIMEOUT_MS`. */
  readonly timeoutMs?: number;
}

/** The API of the page's own server, with a session: a cookie that scripts cannot read, and a csrf token. */
export interface ApiClient {
  readonly session: Store<SessionState>;
  /** Never rejects. After the end of the session it waits for the next sign-in and repeats the refused request. */
  request<T>(method: string, path: string, options?: RequestOptions): Promise<ApiAnswer<T>>;
  /** As `request`, but returns the raw response, for streams and files. */
  open(path: string, options?: RequestOptions): Promise<ApiAnswer<Response>>;
  /** Checks whether the session of the last visit is still valid. */
  resume(): Promise<ApiFailure | undefined>;
  /** Undefined: success. */
  signIn(credentials: object): Promise<ApiFailure | undefined>;
  signOut(): Promise<void>;
  /** Called if a stream reports the end of the session. */
  interrupt(): void;
}

/** Options of a client. */
export interface ApiClientOptions {
  /** The path for signing in (`POST`), signing out (`DELETE`) and reading the signed-in user (`GET`). */
  readonly sessionPath: string;
  /** The storage key of the csrf token. The token is useless without the cookie. */
  readonly storageKey: string;
  readonly storage: TextStorage | undefined;
  readonly send?: typeof fetch;
}

/** The default timeout of a request. */
const TIMEOUT_MS = 30_000;
/** Codes of requests without a valid session. Such a request had no effect. */
const NO_SESSION: readonly string[] = ['session_invalid', 'csrf_refused'];

/** Creates a client. */
export function createApiClient(options: ApiClientOptions): ApiClient {
  const { sessionPath, storage, storageKey, send = fetch } = options;
  const session = createStore<SessionState>({ phase: 'unknown' });
  // Without browser storage, the token stays only in this variable.
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

  /** Whether to repeat a request: another page of this browser may have signed in, or the user signs in now. */
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
      // Signs out even if the server does not answer: the page drops the token, and the session expires.
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

/** Resolves with false if the caller cancelled or the user signed out. */
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
