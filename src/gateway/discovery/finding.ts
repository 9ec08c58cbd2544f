import type { RuntimeKindName } from '../runtimes/index.js';

/** A finding at an endpoint, as `discover --json` writes it. */
export type Finding = FoundRuntime | OtherEndpoint;

/** A runtime that can be used, at once or with a key (`auth`). */
export interface FoundRuntime {
  /** The base of `/v1/chat/completions`: a `base_url` of gateway.yaml. */
  readonly url: string;
  readonly kind: RuntimeKindName;
  /** The answer that proves the kind. */
  readonly proof: string;
  readonly version?: string;
  readonly models?: readonly string[];
  readonly state: 'found' | 'auth';
  /** The step that an operator has to take. */
  readonly reason?: string;
  /** The fingerprint to store, for `compareFingerprint`. */
  readonly fingerprint: string;
}

/** Any other endpoint that took a connection: unknown, unusable (with its `kind`), out of time, or an imitation. */
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
