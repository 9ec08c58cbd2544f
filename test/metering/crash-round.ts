// Runs a metering process until kill -9, and checks the state that is left.
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { StoreKind } from '../../src/metering/index.js';
import { SHORT_LIFE } from '../support/product-process.js';
import { newKey, openTestMeter } from './open-test-meter.js';

/** The result of a round. */
export interface CrashRound {
  readonly acknowledged: number;
  readonly settled: number;
  readonly voided: number;
}

/**
 * Kills a process under load once it has reported `killAfter` requests, and opens its files. Rejects if something
 * acknowledged is missing.
 */
export async function runCrashRound(store: StoreKind, killAfter: number): Promise<CrashRound> {
  const directory = mkdtempSync(join(tmpdir(), 'metering-crash-'));
  try {
    const { charged, lastSeq } = await live(directory, store.name, killAfter);
    await using test = await openTestMeter({ directory, store });
    const { meter } = test;
    // The process met the clock of the machine; the rows are the same whatever the day.
    const rows = new Map(meter.usage({ by: 'model' }).map(({ name, chargedTokens }) => [name, chargedTokens]));
    const missing = [...charged].filter(([model, tokens]) => rows.get(model) !== tokens);
    expect(missing).toEqual([]);
    meter.setFileKeys([newKey({ budgets: [{ tokens: 10 ** 9, window: 'total' }] })]);
    expect(meter.usageOf('vk_1')).toMatchObject({ runningRequests: 0, budgets: [{ held: 0n }] });
    const check = await meter.audit.verify();
    expect(check.ok).toBe(true);
    expect(check.entries).toBeGreaterThanOrEqual(lastSeq);
    const { settled, voided } = meter.recovered;
    expect((await test.reopen()).recovered).toEqual({ settled: 0, voided: 0 });
    await test.meter[Symbol.asyncDispose]();
    await checkIntegrity(directory, store);
    return { acknowledged: charged.size, settled, voided };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

interface Told {
  readonly model?: string;
  readonly tokens?: number;
  readonly seq?: number;
}

async function live(directory: string, storeName: string, killAfter: number) {
  const child = fork(join(import.meta.dirname, 'fixtures/metered-process.js'), [directory, storeName], {
    execArgv: [...SHORT_LIFE],
  });
  const charged = new Map<string, number>();
  let lastSeq = 0;
  const closed = new Promise((resolve) => child.once('close', resolve));
  child.on('message', ({ model, tokens, seq }: Told) => {
    if (model !== undefined && tokens !== undefined) charged.set(model, tokens);
    if (seq !== undefined) lastSeq = seq;
    if (charged.size === killAfter) child.kill('SIGKILL');
  });
  await closed;
  expect(child.signalCode).toBe('SIGKILL');
  return { charged, lastSeq };
}

async function checkIntegrity(directory: string, store: StoreKind): Promise<void> {
  for (const name of ['metering.sqlite', 'audit.sqlite']) {
    const database = await store.open({ path: join(directory, name), durability: 'process' });
    expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    database.close();
  }
}
