import type { Target, Upstream } from '../../relay/index.js';
import type { RuntimeKind } from '../runtime-kind.js';
import type { RuntimeConfig } from '../config/index.js';

/** A runtime that requests are sent to. */
export interface RoutedRuntime {
  readonly config: RuntimeConfig;
  readonly kind: RuntimeKind;
  readonly upstream: Upstream;
  /** The runtime's credential from its operator; undefined: it requires none. */
  readonly credential: string | undefined;
}

/** One runtime that serves a model, as a target of its group. */
export interface ModelTarget extends Target {
  readonly runtime: RoutedRuntime;
  /** The name of the model at the runtime. */
  readonly model: string;
}

/** Identifies a target of requests: a server, a model of it, and a path. */
export function targetKeyOf({ runtime, model }: ModelTarget, path: string): string {
  return `${runtime.config.baseUrl} ${model} ${path}`;
}
