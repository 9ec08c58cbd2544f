import type { HttpLimits } from './limits.js';
import type { TlsOptions } from './tls.js';
import type { HeaderFields, ToErrorResponse } from './message.js';

/** A request's line and header block as a transport's parser read them, not yet trusted. */
export interface RequestHead {
  /** Of the connection. */
  readonly scheme: 'http' | 'https';
  /** As sent. */
  readonly method: string;
  /** As sent, with the query. */
  readonly target: string;
  /** As sent: `1.1`, `1.0` and others. */
  readonly version: string;
  /** Every field in the order sent, none joined; bytes beyond ASCII as latin1. */
  readonly fields: HeaderFields;
  /** Whether the transport's parser refuses every malformed chunk. */
  readonly checksChunks: boolean;
}

/** The line and header block of an answer. */
export interface ResponseHead {
  readonly status: number;
  /** Without the length, in the order in which they are sent; values as latin1. */
  readonly fields: HeaderFields;
  /** Undefined: sent in chunks. */
  readonly contentLength: number | undefined;
  /** The handler gave the length itself, so that the body may not be sent in chunks. */
  readonly isOwnLength: boolean;
  /** The answer has no body whatever its length says: HEAD, 204, 304. */
  readonly bodiless: boolean;
  /** The connection ends with this answer. */
  readonly close: boolean;
}

/** One request and its answer at a transport. Everything is called on the thread of the listener. */
export interface Exchange {
  readonly head: RequestHead;
  /** The address that the connection comes from; empty where that is not known any more. */
  readonly client: string;
  /** Asks the client for its body, when it waits for that (Expect: 100-continue). */
  sendContinue(): void;
  /** Calls `take` with the body's pieces, which then are its own; `last` exactly once. To be called in the callback. */
  receive(take: (piece: Uint8Array, last: boolean) => void): void;
  /** Brings no more of the body until `resume`, but for what was read already. */
  pause(): void;
  resume(): void;
  /** Calls `run` once: with true when a whole answer was handed to the system, with false when the connection broke. */
  onClosed(run: (complete: boolean) => void): void;
  /** Calls `run` when the socket takes bytes again after `write` said false. */
  onWritable(run: () => void): void;
  /** Sends a whole answer; `body` is no larger than a piece. */
  send(head: ResponseHead, body: Uint8Array): void;
  /** Sends the head of an answer at once, whose body follows by `write`. */
  begin(head: ResponseHead): void;
  /** Hands over one piece, not empty; false when the socket is full and the next must wait for `onWritable`. */
  write(piece: Uint8Array): boolean;
  /**
   * Ends the answer begun, whose body had the length that its head gave. `close`: the connection ends with it.
   * `trailers` are sent where the transport has chunks to put them behind.
   */
  end(close: boolean, trailers: HeaderFields): void;
  /** Ends the connection at once; unsent data is lost. */
  close(): void;
}

/** Options of a transport. */
export interface TransportOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Other threads of this process listen there too. */
  readonly sharesPort: boolean;
  readonly limits: HttpLimits;
  /** Absent: plain HTTP. */
  readonly tls?: TlsOptions | undefined;
  readonly toErrorResponse: ToErrorResponse;
  /** Where the package uWebSockets.js is; undefined: where Node would find it. */
  readonly uwsDirectory: string | undefined;
  /** Called for every request whose head was read. */
  readonly onExchange: (exchange: Exchange) => void;
  /** Called for requests that the transport's own parser refused and reported. */
  readonly onParserRefusal: (code: 'request_malformed' | 'headers_too_large' | 'request_timeout') => void;
}

/** A transport that listens. */
export interface TransportServer {
  readonly port: number;
  readonly connections: () => number;
  /** Closes the listening socket, and the connections that wait for a request where the transport can tell them. */
  stopAccepting(): void;
  /** Closes every connection at once. */
  closeAll(): Promise<void>;
}

/** Starts to listen. Errors: `address_in_use`, `address_unavailable`, `transport_unavailable`. */
export type Transport = (options: TransportOptions) => Promise<TransportServer>;
