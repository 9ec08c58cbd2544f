import { invalidValue } from '../../base/index.js';

/** Limits of an upstream. Every value is a whole number above 0. */
export interface UpstreamLimits {
  /** Time to open a connection. A server on this machine or in this network needs milliseconds. */
  readonly connectMs: number;
  /** From the request to the head of its answer: a slow runtime reads a long prompt, or loads a model, before it. */
  readonly firstByteMs: number;
  /** Time between two pieces of an answer while the reader waits. */
  readonly idleMs: number;
  /** From the request to the end of its answer. Clients of OpenAI wait 600 s. */
  readonly requestMs: number;
  /** Idle time of a connection before it is closed here; below the 5 s of Node's servers, which close first otherwise. */
  readonly keepAliveMs: number;
  /** Requests under way, each on its own connection: room for 5,000 streams and other requests. */
  readonly requests: number;
  /** Header block of an answer. */
  readonly headerBytes: number;
  /** Bytes of an answer that wait here for a slow reader before its upstream is paused. */
  readonly heldBytes: number;
}

/** The limits where nothing else is asked for. */
export const DEFAULT_UPSTREAM_LIMITS: UpstreamLimits = {
  connectMs: 5_000,
  firstByteMs: 600_000,
  idleMs: 300_000,
  requestMs: 600_000,
  keepAliveMs: 4_000,
  requests: 8_192,
  headerBytes: 32 * 1024,
  heldBytes: 64 * 1024,
};

/** The default limits with some changed. Errors: `invalid_value`. */
export function toUpstreamLimits(changed: Partial<UpstreamLimits> = {}): UpstreamLimits {
  const limits = { ...DEFAULT_UPSTREAM_LIMITS, ...changed };
  for (const [name, value] of Object.entries(limits)) {
    if (!Number.isSafeInteger(value) || value < 1)
      throw invalidValue(`upstream limits.${name}`, value, 'a whole number above 0');
  }
  return limits;
}
