import type { RuntimeKindName } from '../runtimes/index.js';

/** What was found at an endpoint, as `discover --json` writes it. */
export type Finding = FoundRuntime | OtherEndpoint;

/** A runtime that may be used, at once or with a key of its own (`auth`). */
export interface FoundRuntime {
  /** What stands before `/v1/chat/completions`: a `base_url` of gateway.yaml. */
  readonly url: string;
  readonly kind: RuntimeKindName;
  /** The answer that proves the kind. */
  readonly proof: string;
  readonly version?: string;
  readonly models?: readonly string[];
  readonly state: 'found' | 'auth';
  /** What an operator has to do. */
  readonly reason?: string;
  /** What is remembered of it, for `compareFingerprint`. */
  readonly fingerprint: string;
}

/** Anything else that took a connection: not known, not usable (its kind is told then), out of time, or an imitation. */
export interface OtherEndpoint {
  readonly url: string;
  readonly kind: RuntimeKindName | null;
  readonly proof: string | null;
  readonly version?: string;
  readonly state: 'skipped' | 'impostor';
  /** It answered, and is not a model server. */
  readonly answered?: true;
  readonly reason: string;
}
