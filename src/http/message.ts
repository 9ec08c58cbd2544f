import type { ErrorData } from '../base/index.js';

/** Header fields in the order sent, none joined. */
export type HeaderFields = readonly (readonly [name: string, value: string])[];

/** A request before the first byte of its body. */
export interface HttpHead {
  /** The x-request-id that was sent, when it is `[A-Za-z0-9_-]{1,128}` and the listener takes those, or one made here. */
  readonly id: string;
  /** The address that the connection comes from: the client's, or that of a proxy before it. */
  readonly client: string;
  /** Upper case. */
  readonly method: string;
  /** As sent, with the query. */
  readonly target: string;
  /** As sent, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** As sent and in that order, bytes beyond ASCII as latin1; over uws the names are in lower case. */
  readonly fields: HeaderFields;
  /** The same by name in lower case; fields sent more than once are joined with `, `. */
  readonly headers: ReadonlyMap<string, string>;
  /** Bytes of the body as announced; undefined: none was announced, or it comes in chunks. */
  readonly contentLength: number | undefined;
  /** Aborted when the client is gone, or when the grace of a drain is over. */
  readonly signal: AbortSignal;
  /** When the header block was read, on the listener's clock. */
  readonly receivedMs: number;
}

/** One request, its body read whole within the limits. */
export interface HttpRequest extends HttpHead {
  /** Decompressed, unless the handler asked for it as sent; empty where there is none. */
  readonly body: Uint8Array;
}

/** One request whose body comes piece by piece. */
export interface StreamedRequest extends HttpHead {
  /**
   * The bytes as sent, with transfer coding undone and content-encoding left. Pieces are read from the socket as they are
   * asked for. Rejects when the client is gone before the end, or sends too slowly (`request_timeout`).
   */
  readonly body: AsyncIterableIterator<Uint8Array, undefined>;
}

/**
 * A whole answer, or one that is produced as its reader takes it: `next()` is called when the socket took the last
 * piece, and `return()` when the reader is gone. Strings are well formed; they are sent as UTF-8.
 */
export interface HttpResponse {
  readonly status: number;
  /**
   * By name, or as a list where order or repetition matters. Values are of the bytes that HTTP allows, those beyond ASCII
   * as latin1. A `content-length` is sent as it is, and the body must have as many bytes.
   */
  readonly headers?: Readonly<Record<string, string>> | HeaderFields;
  readonly body?: string | Uint8Array | AsyncIterable<string | Uint8Array>;
  /**
   * Fields that follow a body of pieces, asked for when its source is over. They are lost where the transport or the answer
   * cannot carry them: over uws, to HTTP/1.0, and with a `content-length`. Source: RFC 9110, 6.5.
   */
  readonly trailers?: (() => HeaderFields) | undefined;
}

/** How a body is read whole. */
export interface WholeOptions {
  /** Bytes at most, as sent and after decompression; `bodyBytes` of the limits when absent. */
  readonly maxBytes?: number;
  /** Whether a content-encoding is undone; true when absent. */
  readonly decode?: boolean;
}

/** A handler's decision on a request by its head. Made by `refuseBody`, `readBody` and `streamBody`. */
export type Decision =
  | { readonly take: 'nothing'; readonly response: HttpResponse }
  | {
      readonly take: 'whole';
      readonly options: WholeOptions;
      readonly handle: (request: HttpRequest) => Promise<HttpResponse>;
    }
  | { readonly take: 'stream'; readonly handle: (request: StreamedRequest) => Promise<HttpResponse> };

/**
 * Decides what happens to one request. Nothing of its body is read, or asked for by `100 Continue`, before that. A
 * rejection, here or later, is a bug: it is answered with 500 and logged.
 */
export type Handler = (head: HttpHead) => Decision | Promise<Decision>;

/** Answers without the body. Bytes of it that still come are dropped. */
export function refuseBody(response: HttpResponse): Decision {
  return { take: 'nothing', response };
}

/** Reads the body whole, then answers. */
export function readBody(
  handle: (request: HttpRequest) => Promise<HttpResponse>,
  options: WholeOptions = {},
): Decision {
  return { take: 'whole', options, handle };
}

/**
 * Answers while the body comes in, in no memory but a few pieces: an answer may begin before the body ends. Its unread rest is
 * dropped when the answer ends.
 */
export function streamBody(handle: (request: StreamedRequest) => Promise<HttpResponse>): Decision {
  return { take: 'stream', handle };
}

/** Facts of a request that is answered with an error. */
export type FailedRequest = Pick<HttpHead, 'id' | 'path'>;

/**
 * Turns an error of the listener itself into an answer, in the words of whatever API it serves. `request`: absent where its
 * head could not be read. Must not throw.
 */
export type ToErrorResponse = (error: ErrorData, request?: FailedRequest) => WrittenResponse;

/** An answer with headers by name and a text: a transport can write it without Node's help. */
export interface WrittenResponse extends HttpResponse {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
