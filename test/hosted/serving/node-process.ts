// Nodes of the hosted API in processes of their own, and their books, which a test opens when no node has them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../src/base/index.js';
import { openBilling, type Billing, type NewPrice } from '../../../src/billing/index.js';
import type { Database } from '../../../src/database/index.js';
import { toServiceKeys } from '../../../src/hosted/service/service-keys.js';
import { startProductProcess, type ProductProcess } from '../../support/product-process.js';
import type { FileParts } from '../../support/start-product.js';

const SECRET = '0123456789abcdef0123456789abcdef';

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
export function startNode(path: string, env: Readonly<Record<string, string>>): Promise<ProductProcess> {
  const program = join(import.meta.dirname, '../fixtures/hosted-process.js');
  return startProductProcess(program, [path], { env: { ...env, HOSTED_SECRET: SECRET, UP_KEY: 'up' } });
}

const MAX_STARTS = 60;

/** As a supervisor of processes does: a database that is away keeps a node from starting. */
export async function startAgain(path: string, env: Readonly<Record<string, string>>): Promise<ProductProcess> {
  for (let tries = 1; ; tries++) {
    try {
      return await startNode(path, env);
    } catch (error) {
      if (tries === MAX_STARTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
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
