// Runs a node until kill -9 at a point of its work, and checks the state that is left.
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { openSqlite, type Database } from '../../src/database/index.js';
import { SHORT_LIFE } from '../support/product-process.js';
import { noPostgres, postgresDatabases } from '../support/test-databases.js';
import { newCaller, openTestBilling, type TestBilling } from './open-test-billing.js';

const CREDIT = 1_000_000n;
/** Costs of the two requests that the node reports: 100 and 50, 100 and 700 tokens. */
const COSTS = [700n, 7_200n] as const;

/** Where a node finds its database, and how others open it. */
export interface KillPlace {
  readonly kind: 'sqlite' | 'postgres';
  readonly place: string;
  open(): Promise<Database>;
}

/** The result of a round: the number of points if it reached its end. */
export interface KillRound {
  readonly settled: number;
  readonly voided: number;
  readonly points: number | undefined;
}

/** Kills a node at the point `killAt`. Rejects where money is lost, charged twice, or stays held. */
export async function runKillRound({ kind, place, open }: KillPlace, killAt: number): Promise<KillRound> {
  const [ours, theirs] = ['ours', 'theirs'].map((name) => mkdtempSync(join(tmpdir(), `billing-${name}-`)));
  if (ours === undefined || theirs === undefined) throw new Error('two were made');
  try {
    const { accountId, secret } = await prepare(await open(), ours);
    const told = await live([kind, place, theirs, secret, String(killAt)]);
    const database = await open();
    await using test = await openTestBilling(
      { name: '', fresh: () => open(), close: async () => {} },
      { database, directory: theirs },
    );
    await letSweep(test);
    const account = await test.billing.accounts.get(accountId);
    const { items } = await test.billing.requests.list(accountId, {});
    expect(account.heldMicro).toBe(0n);
    const charged = items.reduce((sum, { costMicro }) => sum + costMicro, 0n);
    expect(account.availableMicro).toBe(CREDIT - charged);
    const settled = items.filter(({ state }) => state === 'settled');
    expect(told.settled.filter((id) => !settled.some(({ requestId }) => requestId === id))).toEqual([]);
    // Each request costs the same, however often a step was repeated.
    expect(settled.map(({ costMicro }) => costMicro).filter((cost) => !COSTS.some((one) => one === cost))).toEqual([]);
    expect((await test.billing.ledger.verify()).faults).toEqual([]);
    await database[Symbol.asyncDispose]();
    return { settled: settled.length, voided: items.length - settled.length, points: told.points };
  } finally {
    for (const directory of [ours, theirs]) rmSync(directory, { recursive: true, force: true });
  }
}

async function prepare(database: Database, directory: string) {
  const databases = { name: '', fresh: async () => database, close: async () => {} };
  await using test = await openTestBilling(databases, { directory });
  const caller = await newCaller(test.billing, CREDIT);
  return { accountId: caller.account.id, secret: caller.secret };
}

/** Half a minute and more in which the dead node does not count up. */
async function letSweep({ billing, clock }: TestBilling): Promise<void> {
  for (let i = 0; i < 20; i++) {
    clock.sleep(2_000);
    await billing.tick();
  }
}

interface Told {
  readonly settled?: string;
  readonly points?: number;
}

async function live(argv: readonly string[]) {
  const child = fork(join(import.meta.dirname, 'fixtures/billing-process.js'), [...argv], {
    execArgv: [...SHORT_LIFE],
    stdio: 'pipe',
  });
  const settled: string[] = [];
  let points: number | undefined;
  let printed = '';
  child.stderr?.on('data', (bytes: Buffer) => (printed += bytes.toString()));
  child.on('message', (told: Told) => {
    if (told.settled !== undefined) settled.push(told.settled);
    points ??= told.points;
  });
  await new Promise((resolve) => child.once('close', resolve));
  expect([child.signalCode, printed]).toEqual(['SIGKILL', '']);
  return { settled, points };
}

/** Where rounds can be run, each at a place of its own; `close` removes all of them. */
export function openKillPlaces() {
  const directory = mkdtempSync(join(tmpdir(), 'billing-kills-'));
  const databases = postgresDatabases();
  const sqlite = async (i: number): Promise<KillPlace> => {
    const place = join(directory, `k${i}.sqlite`);
    return { kind: 'sqlite', place, open: () => openSqlite({ path: place }) };
  };
  const postgres = async (): Promise<KillPlace> => {
    const url = await databases.freshUrl();
    return { kind: 'postgres', place: url, open: () => databases.open(url) };
  };
  return {
    places: [
      { name: 'SQLite', place: sqlite, skip: false },
      { name: 'PostgreSQL', place: postgres, skip: noPostgres !== undefined },
    ],
    async close() {
      await databases.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
