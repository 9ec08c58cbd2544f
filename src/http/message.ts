/** One request, its body read whole within the limits. */
export interface HttpRequest {
  /** The x-request-id that was sent, when it is `[A-Za-z0-9_-]{1,128}`, or one made here. */
  readonly id: string;
  /** The address that the connection comes from: the client's, or that of a proxy before it. */
  readonly client: string;
  /** Upper case. */
  readonly method: string;
  /** As sent, without the query. */
  readonly path: string;
  /** Filled by the router, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Names in lower case; fields sent more than once are joined with `, `. */
  readonly headers: ReadonlyMap<string, string>;
  /** Decompressed; empty where there is none. */
  readonly body: Uint8Array;
  /** Aborted when the client is gone, or when the grace of a drain is over. */
  readonly signal: AbortSignal;
  /** When the header block was read, on the listener's clock. */
  readonly receivedMs: number;
}

/**
 * A whole answer, or one that is produced as its reader takes it: `next()` is called when the socket took the last
 * piece, and `return()` when the reader is gone. Strings are well formed; they are sent as UTF-8.
 */
export interface HttpResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | AsyncIterable<string | Uint8Array>;
}

/** Answers one request. A rejection is a bug: it is answered with 500 and logged. */
export type Handler = (request: HttpRequest) => Promise<HttpResponse>;
