// Values as operators see them: JSON with names in snake_case, amounts as exact decimal texts, times as in RFC 3339.
import { shownKeyFields } from '../../api/index.js';
import { present, toDecimal } from '../../base/index.js';
import {
  NANO_DECIMALS,
  type Account,
  type AccountKey,
  type AccountKeys,
  type AccountKeyUse,
  type NewAccountKey,
  type Price,
} from '../../billing/index.js';
import { showKey } from '../../metering/index.js';
import { Type } from '../../schema/index.js';
import { offeredModels, type ConnectedGateway } from '../gateways/connected-gateway.js';
import { MICRO_DECIMALS, toAmount } from '../../words/index.js';

/** Decimals that prices have at least. */
const LEAST_DECIMALS = 2;

/** As RFC 3339 writes it. */
export const toTime = (unixMs: number): string => new Date(unixMs).toISOString();

const toOptionalTime = (unixMs: number | null | undefined): string | null => (unixMs == null ? null : toTime(unixMs));

/** An account with its balance. */
export function showAccount({ id, name, currency, state, availableMicro, heldMicro, createdAtMs }: Account) {
  return {
    id,
    name,
    state,
    currency,
    balance: toAmount(availableMicro + heldMicro),
    available: toAmount(availableMicro),
    held: toAmount(heldMicro),
    created_at: toTime(createdAtMs),
  };
}

/** A key of an account. */
export const HostedKey = Type.Object({ ...shownKeyFields, account_id: Type.String() });

/** Keys of one account, in the shape that the gateway's keys have: without their secrets. */
export async function showKeys(
  { keys }: { readonly keys: Pick<AccountKeys, 'use'> },
  list: readonly AccountKey[],
  nowMs: number,
): Promise<readonly ShownKey[]> {
  const use = await keys.use(list);
  return list.map((key, i) => toShownKey(key, present(use[i], 'there is one for each key'), nowMs));
}

/** A key with a new secret, which is shown this once. */
export function showNewKey({ key, secret, use }: NewAccountKey, nowMs: number) {
  return { secret, key: toShownKey(key, use, nowMs) };
}

function toShownKey(key: AccountKey, use: AccountKeyUse, nowMs: number) {
  const isOver = key.state === 'active' && key.expiresAtMs !== null && key.expiresAtMs <= nowMs;
  const { models } = key.limits;
  return showKey({ ...key, ...use, state: isOver ? 'expired' : key.state, models }, { account_id: key.accountId });
}

/** A version of a price. Of tokens: units a million; of pieces: units each. */
export function showPrice(price: Price) {
  const perMillion = (nano: bigint): string => toDecimal(nano, NANO_DECIMALS - MICRO_DECIMALS, LEAST_DECIMALS);
  const each = (nano: bigint): string => toDecimal(nano, NANO_DECIMALS, LEAST_DECIMALS);
  return {
    provider: price.provider,
    model: price.model,
    version: price.version,
    effective_from: toTime(price.effectiveFromMs),
    currency: price.currency,
    input: perMillion(price.inputNano),
    cached_input: perMillion(price.cachedInputNano),
    cache_write: perMillion(price.cacheWriteNano),
    output: perMillion(price.outputNano),
    request: each(price.requestNano),
    image: each(price.imageNano),
    audio: each(price.audioNano),
  };
}

/** A gateway, never its credential. */
export function showGateway(gateway: ConnectedGateway) {
  const { slug, name, baseUrl, hasCredential, offer, metering, state, sync, createdAtMs } = gateway;
  return {
    slug,
    name,
    base_url: baseUrl,
    has_credential: hasCredential,
    state,
    offer,
    metering,
    listed_models: sync.models.length,
    offered_models: offeredModels(gateway).map(({ id }) => id),
    synced_at: toOptionalTime(sync.syncedAtMs),
    tried_at: toOptionalTime(sync.triedAtMs),
    stale_since: toOptionalTime(sync.staleSinceMs),
    failures: sync.failures,
    last_error: sync.lastError ?? null,
    created_at: toTime(createdAtMs),
  };
}

/** Fields that operators see of each. */
export type ShownAccount = ReturnType<typeof showAccount>;
export type ShownKey = ReturnType<typeof toShownKey>;
export type ShownPrice = ReturnType<typeof showPrice>;
export type ShownGateway = ReturnType<typeof showGateway>;
