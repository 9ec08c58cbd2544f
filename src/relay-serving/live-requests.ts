import { isAppError, type AppError } from '../base/index.js';
import type { RelayedBody } from '../relay/index.js';

/** One request under way. */
export interface LiveRequest {
  /** Aborts with the client's, and when the request is cut before its answer began. */
  readonly signal: AbortSignal;
  /** From now on a cut ends the answer that is on its way. */
  answers(body: RelayedBody): void;
  end(): void;
}

/** How a request begins. */
export interface LiveOptions {
  readonly keyId: string;
  /** The hash of the secret that was sent: an older secret of the key may end before the key. */
  readonly hash: string;
  /** The client's. */
  readonly signal: AbortSignal;
  /** A begun answer is not aborted with its client: its body decides. */
  readonly outlivesClient?: boolean;
  /** The last bytes of a cut answer. */
  readonly finalBytes: (error: AppError) => Uint8Array;
}

/** The requests under way, by key: a key that ends takes them with it. */
export interface LiveRequests {
  readonly count: number;
  begin(options: LiveOptions): LiveRequest;
  /** Ends all requests of a key, or of one of its secrets. */
  cut(keyId: string, hash: string | undefined, error: AppError): void;
  /** Ends all requests. */
  cutAll(error: AppError): void;
}

/** No request yet. */
export function createLiveRequests(): LiveRequests {
  const byKey = new Map<string, Set<Live>>();
  let count = 0;
  return {
    get count() {
      return count;
    },
    begin(options) {
      const { keyId } = options;
      const its = byKey.get(keyId) ?? new Set();
      byKey.set(keyId, its);
      const live = new Live(options, () => {
        count--;
        its.delete(live);
        if (its.size === 0 && byKey.get(keyId) === its) byKey.delete(keyId);
      });
      count++;
      its.add(live);
      return live;
    },
    cut(keyId, hash, error) {
      for (const live of byKey.get(keyId) ?? []) if (hash === undefined || hash === live.hash) live.cut(error);
    },
    cutAll(error) {
      for (const its of byKey.values()) for (const live of its) live.cut(error);
    },
  };
}

/** A class, since thousands are under way at once. */
class Live implements LiveRequest {
  readonly hash: string;
  readonly #controller = new AbortController();
  readonly #client: AbortSignal;
  readonly #finalBytes: LiveOptions['finalBytes'];
  readonly #outlivesClient: boolean;
  readonly #onEnd: () => void;
  #body: RelayedBody | undefined;
  #isOver = false;

  constructor({ hash, signal, finalBytes, outlivesClient = false }: LiveOptions, onEnd: () => void) {
    this.hash = hash;
    this.#client = signal;
    this.#finalBytes = finalBytes;
    this.#outlivesClient = outlivesClient;
    this.#onEnd = onEnd;
    if (signal.aborted) this.#controller.abort(signal.reason);
    else signal.addEventListener('abort', this.#onLeave, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  answers(body: RelayedBody): void {
    this.#body = body;
    // It was cut as the head of its answer came.
    const { reason } = this.#controller.signal as { readonly reason: unknown };
    if (isAppError(reason)) body.cut(this.#finalBytes(reason));
  }

  cut(error: AppError): void {
    if (this.#body === undefined) this.#controller.abort(error);
    else this.#body.cut(this.#finalBytes(error));
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#client.removeEventListener('abort', this.#onLeave);
    this.#onEnd();
  }

  readonly #onLeave = (): void => {
    if (this.#body === undefined || !this.#outlivesClient) this.#controller.abort(this.#client.reason);
  };
}
