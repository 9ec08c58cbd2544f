import type { AlertWatch, Touched } from '../../alerts/index.js';
import type { Billing, Caller } from '../../billing/index.js';
import type { GatewayTarget } from '../gateways/gateway-directory.js';
import type { UpstreamState } from '../upstreams/upstream-set.js';

/** The state to check. */
export interface HostedReadings {
  readonly billing: Pick<Billing, 'accounts' | 'keys'>;
  /** A balance below it is low: micro-units of the account's currency. */
  readonly lowMicro: () => bigint;
  /** Upstreams that this node has open. */
  readonly upstreams: () => readonly UpstreamState[];
  readonly gateways: () => readonly Pick<GatewayTarget, 'provider' | 'staleSinceMs'>[];
}

/**
 * Passes readings to `watch`: balances of accounts and budgets of keys used since the last check, and the state of
 * providers. Errors: those of billing and of the watch.
 */
export async function lookAtHosted(
  readings: HostedReadings,
  watch: AlertWatch,
  touched: Touched<Caller>,
): Promise<void> {
  await lookAtMoney(readings, watch, touched);
  await lookAtProviders(readings, watch);
}

async function lookAtMoney(
  { billing, lowMicro }: HostedReadings,
  watch: AlertWatch,
  touched: Touched<Caller>,
): Promise<void> {
  const accounts = new Map<string, boolean>();
  for (const { about, refusals } of touched.values()) {
    const { key, account } = about;
    accounts.set(account.id, refusals.has('insufficient_credit') || accounts.get(account.id) === true);
    const wasRefused = refusals.has('budget_exceeded');
    for (const budget of await billing.keys.budgets(about)) {
      await watch.budget({ keyId: key.id, keyName: key.name, account, wasRefused, ...budget });
    }
  }
  for (const [accountId, wasRefused] of accounts) {
    const { name: accountName, currency, availableMicro, heldMicro } = await billing.accounts.get(accountId);
    const balance = availableMicro + heldMicro;
    await watch.balance({ accountId, accountName, currency, balance, low: lowMicro(), wasRefused });
  }
}

async function lookAtProviders({ upstreams, gateways }: HostedReadings, watch: AlertWatch): Promise<void> {
  const failing = new Map<string, boolean>();
  for (const { id, breaker, failingModels } of upstreams()) {
    const isFailing = breaker === 'open' || failingModels.length > 0;
    // A trial request decides the end of half-open.
    if (breaker !== 'half-open') failing.set(id, isFailing && failing.get(id) !== false);
  }
  for (const { provider, staleSinceMs } of gateways()) {
    if (staleSinceMs !== undefined) await tellProvider(provider, 'models_unreadable', watch);
    else if (!failing.has(provider)) await tellProvider(provider, undefined, watch);
  }
  const stale = new Set(gateways().flatMap((one) => (one.staleSinceMs === undefined ? [] : [one.provider])));
  for (const [provider, isFailing] of failing) {
    if (!stale.has(provider)) await tellProvider(provider, isFailing ? 'requests_fail' : undefined, watch);
  }
}

/** `trouble` undefined: it works. */
function tellProvider(
  provider: string,
  trouble: 'requests_fail' | 'models_unreadable' | undefined,
  watch: AlertWatch,
): Promise<void> {
  return watch.standing({
    subject: `provider ${provider}`,
    isDown: trouble !== undefined,
    down: { type: 'provider.down', data: { provider, trouble: trouble ?? 'requests_fail' } },
    toUp: (downSeconds) => ({ type: 'provider.up', data: { provider, down_s: downSeconds } }),
  });
}
