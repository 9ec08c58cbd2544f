import type { TreeNode } from '../actor/index.js';
import type { Clock } from '../base/index.js';
import type { OpenModel, PooledModel } from '../pool/index.js';
import type { HttpRequest, HttpResponse, ListenerStats } from '../http/index.js';
import type { TSchema } from '../schema/index.js';
import type { BodyReader } from './body-reader.js';
import type { Metrics } from './metrics.js';
import type { ModelLibrary } from '../library/index.js';
import type { RequestRecord } from './request-record.js';

/** The engine as the server sees it, whoever put it together. */
export interface ServedEngine {
  /** The kernel variant, and what is slower than it could be. */
  readonly kernel: string;
  readonly kernelNotes: readonly string[];
  readonly ready: boolean;
  tree(): TreeNode;
  /** The models that take memory now or are about to. */
  models(): PooledModel[];
  /** Of these, the ones that answer. */
  openModels(): OpenModel[];
}

/** What all requests of a server share. */
export interface ServerContext {
  readonly library: ModelLibrary;
  readonly bodies: BodyReader;
  readonly engine: ServedEngine;
  readonly metrics: Metrics;
  readonly clock: Clock;
  /** The version of the package. */
  readonly build: string;
  readonly startedMs: number;
  /** The listener's counts. */
  readonly listenerStats: () => ListenerStats;
  readonly streams: StreamTimes;
}

/** Times of event streams. */
export interface StreamTimes {
  /** A comment is sent when nothing else was for so long. */
  readonly keepAliveMs: number;
  /** A stream begins when its first event is there, or after so long: until then a failure still has a status of its own. */
  readonly commitAfterMs: number;
}

/** One request as its route sees it. */
export interface RouteCall {
  readonly request: HttpRequest;
  readonly context: ServerContext;
  /** What the log and the metrics will say of it; the route fills in what it learns. */
  readonly record: RequestRecord;
}

/** An endpoint. Validation, error bodies, 404, 405, logs, metrics and OpenAPI follow from it. */
export interface ApiRoute {
  readonly method: 'GET' | 'POST';
  /** As `createRouter` reads it. */
  readonly path: string;
  /** One line for OpenAPI. */
  readonly summary: string;
  /** The request's body; absent: it has none. */
  readonly request?: TSchema;
  /** The body of a good answer; absent: it is text. */
  readonly response?: TSchema;
  /** One event, where the answer may be a stream of them. */
  readonly event?: TSchema;
  /** What it does in OpenTelemetry's words (`gen_ai.operation.name`): such requests are counted and timed by model. */
  readonly operation?: 'chat' | 'text_completion' | 'embeddings';
  readonly handle: (call: RouteCall) => Promise<HttpResponse>;
}
