// Records of the meter and the gateway as the admin API shows them. No secret and no hash of one is among them.
import type { KeyRecord, UsedByKey } from '../../metering/index.js';
import { outcomesOf, percentile, type Span } from '../../metering/index.js';
import type { Finding } from '../discovery/finding.js';
import { runtimeKinds } from '../runtimes/index.js';
import type { Totals } from './schemas/metrics.js';
import type { ShownFinding } from './schemas/runtimes.js';
import type { TopKey } from './schemas/usage.js';
import { toAmount } from '../../words/index.js';

/** The usage of a key. A removed key has its id as its name. */
export function showUsed({ keyId, tokens, spend }: UsedByKey, names: ReadonlyMap<string, KeyRecord>): TopKey {
  const record = names.get(keyId);
  return {
    key_id: keyId,
    name: record?.name ?? keyId,
    prefix: record?.prefix ?? '',
    tokens: Number(tokens),
    spend: showSpend(spend),
  };
}

/** Money by currency. */
export function showSpend(spend: ReadonlyMap<string, bigint>): { currency: string; amount: string }[] {
  return Array.from(spend, ([currency, amount]) => ({ currency, amount: toAmount(amount) }));
}

/** The sums of a span with its percentiles. */
export function showTotals(span: Span): Totals {
  const at = (times: Span['duration'], share: number): number | null => {
    const ms = percentile(times, share);
    return ms === undefined ? null : Math.round(ms * 10) / 10;
  };
  const { answered, refused, failed } = outcomesOf(span);
  return {
    requests: span.requests,
    answered,
    refused,
    failed,
    errors: span.errors,
    aborted: span.aborted,
    prompt_tokens: span.promptTokens,
    completion_tokens: span.completionTokens,
    cached_tokens: span.cachedTokens,
    reasoning_tokens: span.reasoningTokens,
    first_byte_p50_ms: at(span.firstByte, 0.5),
    first_byte_p95_ms: at(span.firstByte, 0.95),
    duration_p50_ms: at(span.duration, 0.5),
    duration_p95_ms: at(span.duration, 0.95),
  };
}

/** A finding at an endpoint. `novelty`: present if it can be imported. */
export function showFinding(finding: Finding, novelty: ShownFinding['novelty'] = null): ShownFinding {
  const { url, kind, proof, version, state, reason } = finding;
  return {
    url,
    kind,
    title: kind === null ? null : runtimeKinds[kind].title,
    proof,
    version: version ?? null,
    models: 'models' in finding && finding.models !== undefined ? [...finding.models] : null,
    state,
    answered: state !== 'skipped' || kind !== null || ('answered' in finding && finding.answered),
    reason: reason ?? null,
    fingerprint: 'fingerprint' in finding ? finding.fingerprint : null,
    novelty,
  };
}
