import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { createAlertWatch, type AlertWatch, type BudgetReading } from '../../src/alerts/alert-watch.js';
import type { Alert } from '../../src/alerts/alert-types.js';
import { alertKinds } from '../../src/alerts/index.js';
import { openSaidTable } from '../../src/alerts/said-table.js';
import { createSignInBursts } from '../../src/alerts/alerts.js';
import { openSqlite, type Database } from '../../src/database/index.js';
import { Compile } from '../../src/schema/index.js';
import { HandClock } from '../http/hand-clock.js';

const home = mkdtempSync(join(tmpdir(), 'alerts-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));
let files = 0;
const JUNE = Date.UTC(2026, 6, 1);
const JULY = Date.UTC(2026, 7, 1);

interface Opened extends AsyncDisposable {
  readonly watch: AlertWatch;
  readonly clock: HandClock;
  readonly sent: Alert[];
}

async function openWatch(path = join(home, `${files++}.sqlite`)): Promise<Opened> {
  const database = await openSqlite({ path });
  return { ...(await openNode(database)), [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
}

/** A node on a database that others may have too. */
async function openNode(database: Database): Promise<Omit<Opened, keyof AsyncDisposable>> {
  const clock = new HandClock();
  const now = (): number => Date.UTC(2026, 5, 10) + clock.nowMs();
  const sent: Alert[] = [];
  const said = await openSaidTable(database, now);
  const watch = createAlertWatch({ said, clock, now, send: (alert) => void sent.push(alert) });
  return { watch, clock, sent };
}

const typesOf = (sent: readonly Alert[]): readonly string[] => sent.map(({ type }) => type);

function budget(used: number, parts: Partial<BudgetReading> = {}): BudgetReading {
  const common = { keyId: 'k', keyName: 'a key', window: 'month', limit: 1_000n, resetsAtMs: JUNE, wasRefused: false };
  return { ...common, used: BigInt(used), ...parts } as BudgetReading;
}

describe('a budget', () => {
  it('is told at 80 % and at 100 %, once each', async () => {
    await using opened = await openWatch();
    const { watch, sent } = opened;
    for (const used of [0, 500, 799, 800, 801, 900, 999, 1_000, 1_000]) await watch.budget(budget(used));
    expect(typesOf(sent)).toEqual(['budget.warning', 'budget.exhausted']);
    expect(sent[0]).toEqual({
      type: 'budget.warning',
      data: {
        key_id: 'k',
        key_name: 'a key',
        window: 'month',
        unit: 'tokens',
        limit: '1000',
        used: '800',
        percent: 80,
        resets_at: '2026-07-01T00:00:00.000Z',
      },
    });
  });

  it('is told once across restarts, and again in the next period', async () => {
    const path = join(home, `${files++}.sqlite`);
    const all: string[] = [];
    for (const [used, resetsAtMs] of [
      [850, JUNE],
      [860, JUNE],
      [1_000, JUNE],
      [1_000, JUNE],
      [10, JULY],
      [820, JULY],
    ] as const) {
      await using opened = await openWatch(path);
      await opened.watch.budget(budget(used, { resetsAtMs }));
      all.push(...typesOf(opened.sent));
    }
    expect(all).toEqual(['budget.warning', 'budget.exhausted', 'budget.warning']);
  });

  it('is used up where a request was refused at 80 % or more, and not below', async () => {
    await using opened = await openWatch();
    const { watch, sent } = opened;
    await watch.budget(budget(400, { wasRefused: true }));
    expect(sent).toEqual([]);
    await watch.budget(budget(990, { wasRefused: true }));
    await watch.budget(budget(990));
    expect(typesOf(sent)).toEqual(['budget.exhausted']);
  });

  it('is told again after its limit was raised or its usage was reset', async () => {
    await using opened = await openWatch();
    const { watch, sent } = opened;
    await watch.budget(budget(1_000));
    await watch.budget(budget(1_001, { limit: 2_000n }));
    await watch.budget(budget(1_600, { limit: 2_000n }));
    expect(typesOf(sent)).toEqual(['budget.exhausted', 'budget.warning']);
    await watch.budget(budget(0, { limit: 2_000n }));
    await watch.budget(budget(1_700, { limit: 2_000n }));
    await watch.budget(budget(1_700, { limit: 1_900n }));
    await watch.budget(budget(1_700, { limit: 1_700n }));
    expect(typesOf(sent).slice(2)).toEqual(['budget.warning', 'budget.exhausted']);
  });

  it('of money, of tokens, and of other windows are told apart', async () => {
    await using opened = await openWatch();
    const { watch, sent } = opened;
    await watch.budget(budget(900));
    await watch.budget(budget(900, { window: 'day' }));
    await watch.budget(budget(9_000_000, { currency: 'EUR', limit: 10_000_000n }));
    expect(sent.map(({ data }) => data)).toMatchObject([
      { unit: 'tokens', window: 'month' },
      { unit: 'tokens', window: 'day' },
      { unit: 'EUR', limit: '10.00', used: '9.00', percent: 90 },
    ]);
  });

  it('of nothing is used up at once', async () => {
    await using opened = await openWatch();
    await opened.watch.budget(budget(0, { limit: 0n }));
    expect(opened.sent).toMatchObject([{ type: 'budget.exhausted', data: { percent: 100 } }]);
  });
});

const reading = (isDown: boolean) => ({
  subject: 'runtime r',
  isDown,
  down: { type: 'runtime.down', data: { runtime: 'r', kind: 'vllm', trouble: 'unreachable' } } as const,
  toUp: (downSeconds: number) =>
    ({ type: 'runtime.up', data: { runtime: 'r', kind: 'vllm', down_s: downSeconds } }) as const,
});

describe('two nodes on one database', () => {
  type Node = Awaited<ReturnType<typeof openNode>>;
  const openTwo = (database: Database): Promise<readonly [Node, Node]> =>
    Promise.all([openNode(database), openNode(database)]);
  const typesOfAll = (nodes: readonly Node[]): readonly string[] => nodes.flatMap(({ sent }) => typesOf(sent));

  it('tell a budget once, in whatever order they read it, and also where requests of each are refused in turns', async () => {
    await using database = await openSqlite({ path: join(home, `${files++}.sqlite`) });
    let keys = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(1), fc.boolean(), fc.nat(40)), { maxLength: 30 }), async (looks) => {
        const nodes = await openTwo(database);
        let used = 700;
        const keyId = `k${keys++}`;
        const expected = new Set<string>();
        for (const [node, wasRefused, more] of looks) {
          used += more;
          const level = used >= 1_000 || (used >= 800 && wasRefused) ? 'exhausted' : used >= 800 ? 'warning' : '';
          // A warning after the budget was used up says less.
          if (level !== '' && !expected.has('budget.exhausted')) expected.add(`budget.${level}`);
          await nodes[node]?.watch.budget(budget(used, { keyId, wasRefused }));
        }
        expect(typesOfAll(nodes).toSorted()).toEqual([...expected].toSorted());
      }),
      { numRuns: 30 },
    );
  });

  it('tell a low balance and an empty one once, and a server that one of them reaches only for that one', async () => {
    await using database = await openSqlite({ path: join(home, `${files++}.sqlite`) });
    const nodes = await openTwo(database);
    const [first, second] = nodes;
    const common = { accountId: 'acc', accountName: 'Example', currency: 'USD', low: 5n };
    const say = (node: Node, balance: bigint, wasRefused = false): unknown =>
      node.watch.balance({ ...common, balance, wasRefused });
    await say(first, 4n);
    await say(first, 4n, true);
    // The other node sees the account for the first time, then refuses it too.
    await say(second, 4n);
    await say(second, 3n, true);
    await say(first, 3n);
    expect(typesOfAll(nodes)).toEqual(['balance.low', 'balance.empty']);
    await say(second, 50n);
    await say(second, 4n);
    await say(first, 4n, true);
    expect(typesOfAll(nodes).toSorted()).toEqual(['balance.empty', 'balance.empty', 'balance.low', 'balance.low']);

    const told = typesOfAll(nodes).length;
    const server = (node: Node, isDown: boolean): unknown => node.watch.standing(reading(isDown));
    await server(second, false);
    await server(first, true);
    for (const isDown of [false, true, true]) await server(second, isDown);
    for (const { clock } of nodes) clock.advance(90_000);
    await server(second, false);
    await server(first, true);
    await server(first, false);
    expect(typesOfAll(nodes)).toHaveLength(told + 2);
  });
});

describe('a balance', () => {
  it('is told when it is low, when it is empty, and again after a payment', async () => {
    await using opened = await openWatch();
    const { watch, sent } = opened;
    const say = (units: number, wasRefused = false): Promise<void> =>
      watch.balance({
        accountId: 'acc',
        accountName: 'Example',
        currency: 'USD',
        balance: BigInt(Math.round(units * 1e6)),
        low: 5_000_000n,
        wasRefused,
      });
    for (const units of [20, 5, 4.99, 3, 0.01]) await say(units);
    await say(0.01, true);
    await say(0.01);
    await say(0);
    expect(typesOf(sent)).toEqual(['balance.low', 'balance.empty']);
    expect(sent[0]?.data).toMatchObject({ balance: '4.99', low_balance: '5.00' });
    await say(50);
    await say(4);
    expect(typesOf(sent)).toEqual(['balance.low', 'balance.empty', 'balance.low']);
  });
});

describe('a server', () => {
  it('is told when it is away and when it is back, and not at its first sight', async () => {
    await using opened = await openWatch();
    const { watch, clock, sent } = opened;
    await watch.standing(reading(false));
    expect(sent).toEqual([]);
    await watch.standing(reading(true));
    await watch.standing(reading(true));
    clock.advance(90_000);
    await watch.standing(reading(false));
    expect(sent).toMatchObject([{ type: 'runtime.down' }, { type: 'runtime.up', data: { down_s: 90 } }]);
  });

  it('that comes and goes is told once a minute at the most', async () => {
    await using opened = await openWatch();
    const { watch, clock, sent } = opened;
    for (let second = 0; second < 600; second++) {
      await watch.standing(reading(second % 2 === 0));
      clock.advance(1_000);
    }
    expect(sent.length).toBeLessThanOrEqual(10);
  });

  it('that was away before a restart is told when it is back after it', async () => {
    const path = join(home, `${files++}.sqlite`);
    {
      await using opened = await openWatch(path);
      await opened.watch.standing(reading(true));
    }
    await using opened = await openWatch(path);
    await opened.watch.standing(reading(true));
    await opened.watch.standing(reading(false));
    expect(typesOf(opened.sent)).toEqual(['runtime.up']);
  });
});

describe('wrong tokens', () => {
  it('are told once a burst: 5 of an operator in a minute', () => {
    const clock = new HandClock();
    const sent: Alert[] = [];
    const fail = createSignInBursts(clock, (alert) => void sent.push(alert));
    for (let i = 0; i < 4; i++) fail('admin');
    clock.advance(60_000);
    for (let i = 0; i < 4; i++) fail('admin');
    expect(sent).toEqual([]);
    for (let i = 0; i < 500; i++) fail('admin');
    expect(sent).toEqual([{ type: 'sign_in.burst', data: { where: 'admin', failures: 5, within_s: 60 } }]);
    clock.advance(900_001);
    for (let i = 0; i < 5; i++) fail('admin');
    for (let i = 0; i < 99; i++) fail('api');
    expect(sent).toHaveLength(2);
    fail('api');
    expect(sent.at(-1)?.data).toMatchObject({ where: 'api', failures: 100 });
  });
});

describe('the example of an alert', () => {
  it.each(Object.entries(alertKinds))('%s is of its schema', (_, { data, example }) => {
    expect(Compile(data).Check(example)).toBe(true);
  });
});
