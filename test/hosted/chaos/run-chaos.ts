// Load on nodes that are killed, over clients that leave, a provider that cuts and a database that is restarted.
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Database } from '../../../src/database/index.js';
import { ask } from '../../relay/raw-upstream.js';
import type { ProductProcess } from '../../support/product-process.js';
import { preparePayer, startAgain, startNode, withBilling, writeNodeFile } from '../serving/node-process.js';
import { providerAt } from '../serving/start-hosted.js';
import { checkBooks, type Tally } from './books.js';
import { send, type Seen } from './client.js';
import { modelOf, MODELS, PRICE } from './fates.js';
import { startProvider, type ChaosProvider } from './provider.js';

/** Options of a run. */
export interface ChaosOptions {
  readonly home: string;
  /** Those that reach the provider. */
  readonly requests: number;
  readonly clients: number;
  readonly nodes: number;
  /** A node is killed, one after the other, after so much: a time, or a number of requests. */
  readonly killAfter: { readonly ms: number } | { readonly requests: number };
  /** `database` of hosted.yaml, and the environment of nodes. */
  readonly database: unknown;
  readonly env: Readonly<Record<string, string>>;
  /** Opens the database as a node does, when no node runs. */
  readonly open: () => Promise<Database>;
  /** Done once at each of these parts of the requests, as restarting the database. */
  readonly disturb?: { readonly atParts: readonly number[]; readonly run: () => Promise<void> };
}

/** The result of a run. */
export interface ChaosResult {
  readonly sent: number;
  readonly whole: number;
  readonly kills: number;
  readonly seconds: number;
  readonly tally: Tally;
}

const CREDIT_MICRO = 1_000_000_000n;
/** A client that was refused, or whose node is being started again, waits for so long. */
const BACK_OFF_MS = 100;

/** A node in one of its lives. */
interface Life extends ProductProcess {
  readonly agent: Agent;
  killedMs?: number;
}

/** Runs it, and holds the books against what clients saw and the provider counted. */
export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const { home, requests, clients, killAfter, database, env, disturb } = options;
  await using provider = await startProvider();
  const paths = Array.from({ length: options.nodes }, (_, i) =>
    writeNodeFile(home, i, { database, providers: [providerAt(provider.url, { connections: 2_000 })] }),
  );
  const { accountId, secret } = await withBilling(home, options.open, (billing) =>
    preparePayer(billing, CREDIT_MICRO, {
      models: Array.from({ length: MODELS }, (_, i) => modelOf(i)),
      inputNano: PRICE.input,
      outputNano: PRICE.output,
    }),
  );

  const startedMs = Date.now();
  const live = (process: ProductProcess): Life => ({
    ...process,
    agent: new Agent({ keepAlive: true, maxSockets: clients }),
  });
  const lives: Life[] = (await Promise.all(paths.map((path) => startNode(path, env)))).map(live);
  const seen: { readonly index: number; readonly life: Life; readonly seen: Seen }[] = [];
  let [sent, kills, isOver] = [0, 0, false];
  const reached = (): number => provider.produced.size;

  const work = async (): Promise<void> => {
    while (reached() < requests) {
      const index = sent++;
      // Each node has requests of every fate.
      const life = lives[(index + Math.floor(index / 2)) % lives.length] as Life;
      const got = await send(life.port, life.agent, secret, index, provider.arrived);
      seen.push({ index, life, seen: got });
      if (!provider.produced.has(index)) await sleep(BACK_OFF_MS);
    }
  };
  const untilKill = async (): Promise<void> => {
    if ('ms' in killAfter) return sleep(killAfter.ms);
    const until = reached() + killAfter.requests;
    while (!isOver && reached() < until) await sleep(5);
  };
  const kill = async (): Promise<void> => {
    for (let turn = 0; ; turn++) {
      await untilKill();
      if (isOver) return;
      const at = turn % lives.length;
      const life = lives[at] as Life;
      life.killedMs = Date.now();
      life.child.kill('SIGKILL');
      await life.ended;
      life.agent.destroy();
      kills++;
      lives[at] = live(await startAgain(paths[at] as string, env));
    }
  };
  const disturbing = async (): Promise<void> => {
    for (const part of disturb?.atParts ?? []) {
      while (!isOver && reached() < part * requests) await sleep(50);
      if (!isOver) await disturb?.run();
    }
  };
  const killing = kill();
  const disturbed = disturbing();
  await Promise.all(Array.from({ length: clients }, work));
  isOver = true;
  await Promise.all([killing, disturbed]);
  await settleDown(lives, provider);
  for (const { agent, child } of lives) {
    agent.destroy();
    child.kill('SIGTERM');
  }
  await Promise.all(lives.map((life) => life.ended));
  const seconds = (Date.now() - startedMs) / 1_000;

  const cases = seen.map((one) => ({
    index: one.index,
    seen: one.seen,
    produced: provider.produced.get(one.index),
    killedMs: one.life.killedMs,
  }));
  const tally = await withBilling(home, options.open, async (billing) => {
    // Holds and allowances of nodes that died are free when these are taken for dead.
    await expect
      .poll(async () => (await billing.tick(), (await billing.accounts.get(accountId)).heldMicro), {
        timeout: 120_000,
        interval: 500,
      })
      .toBe(0n);
    // Groups that the sweeper just wrote join the chain.
    await billing.tick();
    return checkBooks(billing, accountId, CREDIT_MICRO, cases);
  });
  const whole = cases.filter((one) => one.seen.isWhole).length;
  return { sent, whole, kills, seconds, tally };
}

/** Waits until the nodes have settled everything: they read abandoned answers to the end, and replay outboxes. */
async function settleDown(lives: readonly Life[], { produced }: ChaosProvider): Promise<void> {
  const soon = { timeout: 120_000, interval: 100 };
  const open = (): number => [...produced.values()].filter(({ endedMs }) => endedMs === undefined).length;
  await expect.poll(open, soon).toBe(0);
  for (const { port } of lives) {
    const idle = async (): Promise<readonly string[]> => {
      const text = (await ask(port, 'GET', '/metrics', '')).body.toString();
      return text.match(/^\S*(?:relayed_running|read_on_running|settling|outbox_depth) \S+$/gm) ?? ['no metrics'];
    };
    const busy = async (): Promise<readonly string[]> => (await idle()).filter((line) => !line.endsWith(' 0'));
    await expect.poll(busy, soon).toEqual([]);
  }
}
