// The books after a run, held against what clients saw and the provider counted.
import { expect } from 'vitest';
import type { Billing, Generation } from '../../../src/billing/index.js';
import type { Seen } from './client.js';
import { fateOf, modelOf } from './fates.js';
import { circumstanceOf, judge, type Case } from './outcomes.js';

/** Counts of requests by circumstance, fate and outcome. */
export type Tally = Readonly<Record<string, number>>;

/** Holds the books of an account, which had `creditMicro` and nothing else, against `cases`. */
export async function checkBooks(
  billing: Billing,
  accountId: string,
  creditMicro: bigint,
  cases: readonly Case[],
): Promise<Tally> {
  const generations = await allOf(billing, accountId);
  const found = attribute(cases, generations);
  const faults: string[] = [];
  const tally = new Map<string, number>();
  let told = 0n;
  for (const one of cases) {
    const its = found.get(one.index);
    const { outcome, fault } = judge(one, its);
    if (fault !== undefined) faults.push(fault);
    const name = `${circumstanceOf(one)}: ${fateOf(one.index)}: ${outcome}`;
    tally.set(name, (tally.get(name) ?? 0) + 1);
    told += its?.costMicro ?? 0n;
  }
  expect(faults.slice(0, 10), `${faults.length} requests are not as the policy says`).toEqual([]);
  await checkSums(billing, accountId, { creditMicro, spentMicro: told, generations });
  return Object.fromEntries([...tally].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Balance, sums by day, groups and chain. */
async function checkSums(
  billing: Billing,
  accountId: string,
  all: { readonly creditMicro: bigint; readonly spentMicro: bigint; readonly generations: readonly Generation[] },
): Promise<void> {
  const settled = all.generations.filter(({ state }) => state === 'settled');
  const sum = (of: (one: Generation) => bigint): bigint => settled.reduce((total, one) => total + of(one), 0n);
  expect(sum(({ costMicro }) => costMicro)).toBe(all.spentMicro);
  const account = await billing.accounts.get(accountId);
  expect([account.availableMicro, account.heldMicro]).toEqual([all.creditMicro - all.spentMicro, 0n]);
  const [fromMs, toMs] = [Date.now() - 7 * 86_400_000, Date.now() + 86_400_000];
  const days = await billing.requests.usage(accountId, { fromMs, toMs });
  const perDay = (of: (day: (typeof days)[number]) => bigint): bigint =>
    days.reduce((total, day) => total + of(day), 0n);
  expect(perDay(({ requests }) => BigInt(requests))).toBe(BigInt(settled.length));
  expect(perDay(({ costMicro }) => costMicro)).toBe(all.spentMicro);
  expect(perDay(({ completionTokens }) => completionTokens)).toBe(
    sum(({ completionTokens }) => BigInt(completionTokens)),
  );
  const check = await billing.ledger.verify();
  expect(check.faults).toEqual([]);
  // The credit, and one group for each ended request; a voided request that is settled after all has two.
  expect(check.groups).toBeGreaterThan(all.generations.length);
  expect(billing.outboxDepth).toBe(0);
}

/** Gives each generation its one request: by its id, or where no head came by its model and time. */
function attribute(cases: readonly Case[], generations: readonly Generation[]): ReadonlyMap<number, Generation> {
  const byId = new Map(cases.flatMap(({ seen, index }) => (seen.id === undefined ? [] : [[seen.id, index]])));
  const headless = cases.filter(({ seen }) => seen.id === undefined);
  const found = new Map<number, Generation>();
  for (const generation of generations) {
    const { requestId, model, createdAtMs } = generation;
    const index =
      byId.get(requestId) ??
      headless.find(({ index: at, seen }) => modelOf(at) === model && !found.has(at) && isWithin(seen, createdAtMs))
        ?.index;
    expect(index, `generation ${requestId} is of a request that was sent`).toBeDefined();
    expect(found.has(index ?? -1), `request ${index} is recorded once`).toBe(false);
    found.set(index ?? -1, generation);
  }
  return found;
}

function isWithin({ startedMs, endedMs }: Seen, atMs: number): boolean {
  return atMs >= startedMs && atMs <= endedMs;
}

async function allOf(billing: Billing, accountId: string): Promise<readonly Generation[]> {
  const all: Generation[] = [];
  let cursor: string | undefined;
  do {
    const page = await billing.requests.list(accountId, { limit: 1_000, ...(cursor !== undefined && { cursor }) });
    all.push(...page.items);
    cursor = page.next;
  } while (cursor !== undefined);
  return all;
}
