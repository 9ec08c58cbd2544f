import type { ErrorData } from '../base/index.js';
import type { HttpHead, HttpResponse } from '../http/index.js';
import type { TSchema } from '../schema/index.js';
import type { BodyType } from './body-type.js';
import type { ErrorFormat } from './error-format.js';

/** Facts of one request for log and metrics: never its text, its answer, or a key. */
export interface RequestRecord {
  readonly id: string;
  readonly method: string;
  /** The declared path of the route, not the path of the request; undefined without a route. */
  readonly route: string | undefined;
  /** On the listener's clock. */
  readonly receivedMs: number;
  isStream?: boolean;
  /** The error, before or after the status was sent. */
  error?: ErrorData;
}

/** One request before its body arrives. */
export interface HeadCall<Context, Notes extends RequestRecord = RequestRecord> {
  readonly request: HttpHead;
  /** The decoded parameters of the path. */
  readonly params: Readonly<Record<string, string>>;
  /** The shared state of all requests of a server. */
  readonly context: Context;
  /** Facts for the log and the metrics; the route adds its own. */
  readonly record: Notes;
}

/** One request with its parsed body. */
export interface RouteCall<Context, Body, Notes extends RequestRecord = RequestRecord> extends HeadCall<
  Context,
  Notes
> {
  /** The result of the route's body type. */
  readonly body: Body;
}

/**
 * The declaration of an endpoint. Validation, error bodies, 404, 405, logs, metrics and OpenAPI are derived from it.
 * The code of an error of `before` or `handle` determines the answer.
 */
export interface Route<Context, Body = unknown, Notes extends RequestRecord = RequestRecord> {
  /** Upper case, or `*` for every method. */
  readonly method: string;
  /** A path in the notation of `createRouter`. */
  readonly path: string;
  /** One line for OpenAPI. */
  readonly summary: string;
  /** The schema of the query, whose fields are texts. Absent: the query is ignored. */
  readonly query?: TSchema;
  /** Header fields that the route reads, with their meanings, for OpenAPI. */
  readonly requestHeaders?: Readonly<Record<string, string>>;
  /** Absent: the route takes no body. */
  readonly body?: BodyType<Body>;
  /** The schema of a successful answer; absent: the answer is text. */
  readonly response?: TSchema;
  /** The schema of one event, if the answer may be a stream of events. */
  readonly event?: TSchema;
  /** The media type of that stream. Default: server-sent events. */
  readonly eventType?: string;
  /** The error format, if it differs from the server's. */
  readonly errors?: ErrorFormat;
  /** Checks the head before any byte of the body is read: keys and limits. Throws to refuse. */
  before?(call: HeadCall<Context, Notes>): void | Promise<void>;
  handle(call: RouteCall<Context, Body, Notes>): Promise<HttpResponse>;
}

/** The path of a route for documents, logs and metrics. */
export function shownPath({ path }: Pick<Route<never>, 'path'>): string {
  return path.replace('...}', '}');
}
