// Records of the meter and the gateway as the admin API shows them. No secret and no hash of one is among them.
import type { KeyRecord, UsedByKey } from '../../metering/index.js';
import type { Finding } from '../discovery/finding.js';
import { runtimeKinds } from '../runtimes/index.js';
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
