// Nodes of the hosted API in processes of their own, and their books, which a test opens when no node has them.
import { fork, type ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../src/base/index.js';
import { openBilling, type Billing, type NewPrice } from '../../../src/billing/index.js';
import type { Database } from '../../../src/database/index.js';
import { toServiceKeys } from '../../../src/hosted/service/service-keys.js';
import type { FileParts } from './start-hosted.js';

const SECRET = '0123456789abcdef0123456789abcdef';

/** A node in a process of its own. */
export interface NodeProcess {
  readonly child: ChildProcess;
  readonly port: number;
}

/** Writes the file of node `index` in `home`, with a data directory of its own; its path. Where `limits` say nothing of it, it drains within 5 s. */
export function writeNodeFile(
  home: string,
  index: number,
  { limits = {}, ...parts }: FileParts & { readonly limits?: FileParts },
): string {
  const path = join(home, `hosted-${index}.yaml`);
  mkdirSync(join(home, `data-${index}`), { recursive: true });
  const common = {
    listen: { port: 0, transport: 'node' },
    data_dir: `./data-${index}`,
    secret: { env: 'HOSTED_SECRET' },
    limits: { drain_s: 5, ...limits },
  };
  writeFileSync(path, JSON.stringify({ ...common, ...parts }));
  return path;
}

/** Starts a node by its file. */
export function startNode(path: string, env: Readonly<Record<string, string>>): Promise<NodeProcess> {
  const child = fork(join(import.meta.dirname, '../fixtures/hosted-process.js'), [path], {
    env: { ...process.env, ...env, HOSTED_SECRET: SECRET, UP_KEY: 'up' },
  });
  return new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error('the node did not start')));
    child.once('message', (said) => resolve({ child, port: (said as { readonly port: number }).port }));
  });
}

const MAX_STARTS = 60;

/** As a supervisor of processes does: a database that is away keeps a node from starting. */
export async function startAgain(path: string, env: Readonly<Record<string, string>>): Promise<NodeProcess> {
  for (let tries = 1; ; tries++) {
    try {
      return await startNode(path, env);
    } catch (error) {
      if (tries === MAX_STARTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}

/** Resolves when the process is gone. */
export function ended({ child }: NodeProcess): Promise<unknown> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => child.once('exit', resolve));
}

/** Opens billing as node 0 in `home` does, to prepare a run and to look at what it left. */
export async function withBilling<T>(
  home: string,
  open: () => Promise<Database>,
  work: (billing: Billing) => Promise<T>,
): Promise<T> {
  await using database = await open();
  const { hmacKey } = toServiceKeys(Buffer.from(SECRET));
  await using billing = await openBilling({
    database,
    directory: join(home, 'data-0', 'billing'),
    hmacKey,
    log: () => {},
    clock: systemClock,
    now: Date.now,
  });
  return await work(billing);
}

/** An account with money, a key and a price of models of `up` in its books; of `demo` where none are named. */
export async function preparePayer(
  billing: Billing,
  amountMicro: bigint,
  {
    models = ['demo'],
    inputNano,
    outputNano,
  }: Pick<NewPrice, 'inputNano' | 'outputNano'> & { readonly models?: readonly string[] },
): Promise<{ readonly accountId: string; readonly secret: string }> {
  const account = await billing.accounts.create({ name: 'a', currency: 'USD' }, 'test');
  await billing.accounts.credit(account.id, { amountMicro, reference: 'first' }, 'test');
  const limits = { budgets: [], models: null };
  const { secret } = await billing.keys.create(account.id, { name: 'a', limits }, 'test');
  const price = {
    provider: 'up',
    effectiveFromMs: 0,
    currency: 'USD',
    inputNano,
    cachedInputNano: inputNano,
    outputNano,
    requestNano: 0n,
    imageNano: 0n,
    audioNano: 0n,
  };
  await billing.prices.add(
    models.map((model) => ({ ...price, model })),
    'test',
  );
  return { accountId: account.id, secret };
}
