import { isAppError, type Clock } from '../../base/index.js';
import { createUpstream, reasonOf, reasonWords, type UpstreamLimits } from '../../relay/index.js';
import type { RuntimeConfig } from '../config/index.js';
import { mayServe } from '../../address/index.js';
import { compareFingerprint, kindOf } from '../discovery/fingerprint.js';
import { identifyUrl } from '../discovery/identify.js';
import { MODELS_PATH } from '../evidence.js';
import { toRuntimeBaseUrl } from '../routing/base-url.js';
import type { RuntimeTrouble } from '../serving/gateway-state.js';

/** The result of a probe. */
export type ProbeResult =
  | { readonly isHealthy: true }
  | {
      readonly isHealthy: false;
      readonly trouble: RuntimeTrouble;
      readonly reason: string;
      /** It ran out of time: the runtime may be busy. */
      readonly isLate?: boolean;
    };

/** A runtime that does not list its models at once cannot serve a chat either. */
const PROBE_LIMITS = {
  connectMs: 2_000,
  firstByteMs: 4_000,
  idleMs: 2_000,
  requestMs: 5_000,
  requests: 4,
} satisfies Partial<UpstreamLimits>;
/** A timer that fires this much later than it should shows that this process was stopped, not the runtime. */
const OWN_DELAY_MS = 500;
/** Bytes of an answer that are read to reuse its connection. */
const READ_BYTES = 256 * 1024;

/**
 * Whether a runtime answers `GET /v1/models` without credentials: a runtime that requires them is up too. A status from
 * 500 on means that it loads, or has trouble. Undefined: nothing is known, since this process has no descriptors left or
 * was late itself.
 */
export async function probeRuntime(config: RuntimeConfig, clock: Clock): Promise<ProbeResult | undefined> {
  await using upstream = await createUpstream({
    id: config.id,
    baseUrl: toRuntimeBaseUrl(config),
    limits: PROBE_LIMITS,
    clock,
    mayConnect: mayServe,
  });
  const startMs = clock.nowMs();
  try {
    const answer = await upstream.request({ method: 'GET', target: MODELS_PATH, fields: [] });
    let bytes = 0;
    for await (const piece of answer.body) {
      bytes += piece.length;
      if (bytes > READ_BYTES) break;
    }
    if (answer.status < 500) return { isHealthy: true };
    return { isHealthy: false, trouble: 'unhealthy', reason: `GET ${MODELS_PATH} has status ${answer.status}` };
  } catch (error) {
    if (!isAppError(error)) throw error;
    const reason = reasonOf(error);
    const isLate = reason?.endsWith('timeout') === true;
    const wasLateItself = isLate && clock.nowMs() - startMs > PROBE_LIMITS.requestMs + OWN_DELAY_MS;
    if (reason === 'exhausted' || wasLateItself) return undefined;
    // Pages name the runtime as the file does.
    const words = reason === undefined ? error.message : `the runtime ${config.id} ${reasonWords(reason)}`;
    return { isHealthy: false, trouble: 'unreachable', reason: words, isLate };
  }
}

/**
 * Whether the server is still the one that its operator approved. A runtime written by hand has no fingerprint and
 * needs none. Undefined: it did not identify itself, and nothing is known.
 */
export async function verifyRuntime(
  { baseUrl, fingerprint }: RuntimeConfig,
  clock: Clock,
): Promise<ProbeResult | undefined> {
  if (fingerprint === undefined) return { isHealthy: true };
  try {
    const finding = await identifyUrl(new URL(baseUrl).origin, {
      allowPublic: true,
      clock,
      expected: kindOf(fingerprint),
    });
    if (!('fingerprint' in finding)) {
      const isOther = finding.state === 'impostor' || finding.answered === true;
      return isOther ? changed(finding.reason) : undefined;
    }
    const compared = compareFingerprint(fingerprint, finding.fingerprint);
    return compared.isSame ? { isHealthy: true } : changed(compared.change);
  } catch (error) {
    if (!isAppError(error)) throw error;
    return { isHealthy: false, trouble: 'unreachable', reason: error.message };
  }
}

function changed(reason: string): ProbeResult {
  return { isHealthy: false, trouble: 'fingerprint_changed', reason };
}
