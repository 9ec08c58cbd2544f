import type { ErrorData } from '../base/index.js';
import type { HttpHead, HttpResponse } from '../http/index.js';
import type { TSchema } from '../schema/index.js';
import type { BodyType } from './body-type.js';
import type { ErrorFormat } from './error-format.js';

/** Facts of one request for log and metrics: never its text, its answer, or a key. */
export interface RequestRecord {
  readonly id: string;
  readonly method: string;
  /** The route's path as it is declared, not as it was sent; undefined where there is none. */
  readonly route: string | undefined;
  /** On the listener's clock. */
  readonly receivedMs: number;
  isStream?: boolean;
  /** The error, before or after the status was sent. */
  error?: ErrorData;
}

/** One request before its body came. */
export interface HeadCall<Context, Notes extends RequestRecord = RequestRecord> {
  readonly request: HttpHead;
  /** Of the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** The shared state of all requests of a server. */
  readonly context: Context;
  /** What the log and the metrics will say of it; the route fills in what it learns. */
  readonly record: Notes;
}

/** One request as its route sees it. */
export interface RouteCall<Context, Body, Notes extends RequestRecord = RequestRecord> extends HeadCall<
  Context,
  Notes
> {
  /** As the route's body type parsed it. */
  readonly body: Body;
}

/**
 * An endpoint, each fact of it once. Validation, error bodies, 404, 405, logs, metrics and OpenAPI follow from it. An error of
 * `before` or `handle` is answered by its code.
 */
export interface Route<Context, Body = unknown, Notes extends RequestRecord = RequestRecord> {
  /** Upper case, or `*` for every method. */
  readonly method: string;
  /** As `createRouter` reads it. */
  readonly path: string;
  /** One line for OpenAPI. */
  readonly summary: string;
  /** What its query may have, each field a text; absent: nothing is read of it. */
  readonly query?: TSchema;
  /** Header fields that it reads, and what each says, for OpenAPI. */
  readonly requestHeaders?: Readonly<Record<string, string>>;
  /** Absent: it has none. */
  readonly body?: BodyType<Body>;
  /** The body of a good answer; absent: it is text. */
  readonly response?: TSchema;
  /** One event, where the answer may be a stream of them. */
  readonly event?: TSchema;
  /** The media type of that stream. Default: server-sent events. */
  readonly eventType?: string;
  /** Where this route does not speak as the others of its server do. */
  readonly errors?: ErrorFormat;
  /** Sees the head before a byte of the body is read: keys and limits. Throws to refuse. */
  before?(call: HeadCall<Context, Notes>): void | Promise<void>;
  handle(call: RouteCall<Context, Body, Notes>): Promise<HttpResponse>;
}

/** A route's path as documents, logs and metrics show it. */
export function shownPath({ path }: Pick<Route<never>, 'path'>): string {
  return path.replace('...}', '}');
}
