import type { Clock, KindOf } from '../base/index.js';
import type { TemplateProbe } from '../completion/index.js';
import type { PageFiles, Route, RouteCall, StreamTimes } from '../endpoint/index.js';
import type { ListenerStats } from '../http/index.js';
import type { ModelHost, ModelLibrary } from '../models/index.js';
import type { EngineRecord } from './engine-record.js';
import type { Metrics } from './metrics.js';

/** The engine as the server sees it, in every setup. */
export type ServedEngine = Pick<
  ModelHost,
  'kernel' | 'kernelNotes' | 'ready' | 'template' | 'tree' | 'models' | 'peek' | 'openModels'
>;

/** State that all requests of a server share. */
export interface ServerContext {
  readonly library: ModelLibrary;
  /** Describes the abilities of models that are not loaded. */
  readonly templates: TemplateProbe;
  readonly engine: ServedEngine;
  readonly metrics: Metrics;
  readonly kindOf: KindOf;
  readonly clock: Clock;
  /** The version of the package. */
  readonly build: string;
  readonly startedMs: number;
  /** The listener's counts. */
  readonly listenerStats: () => ListenerStats;
  readonly streams: StreamTimes;
  /** Undefined where the package was built without it. */
  readonly page: PageFiles | undefined;
}

/** One request as a route of the engine sees it. */
export type EngineCall<Body = unknown> = RouteCall<ServerContext, Body, EngineRecord>;

/** An endpoint of the engine. */
export interface EngineRoute<Body = unknown> extends Route<ServerContext, Body, EngineRecord> {
  /**
   * The operation in OpenTelemetry's words (`gen_ai.operation.name`): metrics count and time such requests by model.
   */
  readonly operation?: 'chat' | 'text_completion' | 'embeddings';
}
