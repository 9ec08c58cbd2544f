// A node of the hosted API in this process on a file of its own, for suites to talk to.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { systemClock, type LogEntry } from '../../../src/base/index.js';
import type {
  Account,
  AccountKey,
  AccountKeyLimits,
  Billing,
  Generation,
  NewPrice,
} from '../../../src/billing/index.js';
import { askServer } from '../../../src/control/index.js';
import { createHosted, type Hosted, type HostedSetup, type OperationName } from '../../../src/hosted/index.js';
import { hostedControlPath } from '../../../src/hosted/operations/hosted-operator.js';
import { makeHome } from '../../gateway/serving/start-gateway.js';
import { uwsDirectory } from '../../http/over-transports.js';
import { ask, type Received } from '../../relay/raw-upstream.js';
import { codeTables } from '../../repo/code-tables.js';

/** hosted.yaml as JSON, which is YAML too. */
export type FileParts = Readonly<Record<string, unknown>>;

/** How long a test waits for what comes within moments on a machine that does nothing else. */
export const SOON = { timeout: 30_000, interval: 10 };

/** Who pays in a test. */
export interface Payer {
  readonly account: Account;
  readonly key: AccountKey;
  readonly secret: string;
  /** The header that brings the key. */
  readonly headers: { readonly authorization: string };
}

/** A node at work, and what it said. */
export interface StartedHosted extends AsyncDisposable {
  readonly hosted: Hosted;
  readonly billing: Billing;
  readonly port: number;
  readonly home: string;
  readonly dataDir: string;
  readonly events: readonly LogEntry[];
  /** The lines of its log of requests, parsed. */
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  /** Writes the file anew, with `parts` changed, and has it looked at. */
  rewrite(parts: FileParts): Promise<void>;
  /** Runs an operation as its command does: over the socket of the node. */
  operate(operation: OperationName, params?: object): Promise<unknown>;
  /** An account with money and a key. */
  payer(units?: number, limits?: Partial<AccountKeyLimits>): Promise<Payer>;
  /** A price of 1,000 nano-units for a prompt token, 100 for a cached one and 2,000 for a completion token, or what `parts` say. */
  price(model?: string, parts?: Partial<NewPrice>): Promise<void>;
}

/** A provider `up` as a file has it. */
export function providerAt(url: string, parts: FileParts = {}): FileParts {
  return { id: 'up', base_url: url, credential: { env: 'UP_KEY' }, ...parts };
}

/** The secret of the service in tests. */
const SECRET = '0123456789abcdef0123456789abcdef';

/** Starts one on a free port. */
export async function startHosted(
  parts: FileParts,
  setup: Partial<HostedSetup> = {},
  directory?: string,
): Promise<StartedHosted> {
  const home = directory ?? makeHome();
  const path = join(home, 'hosted.yaml');
  const common = { listen: { port: 0, transport: 'node' }, data_dir: './data', secret: { env: 'SECRET' } };
  let file: FileParts = { ...common, ...parts };
  writeFileSync(path, JSON.stringify(file), { mode: 0o600 });
  const events: LogEntry[] = [];
  const lines: Record<string, unknown>[] = [];
  const hosted = await createHosted(path, {
    build: '0.0.0',
    codes: codeTables,
    uwsDirectory,
    readSecret: async (source) =>
      source.from === 'env' && source.name === 'SECRET' ? SECRET : `secret-of-${source.from}`,
    logLine: (line) => lines.push(JSON.parse(line) as Record<string, unknown>),
    log: (entry) => void events.push(entry),
    clock: systemClock,
    now: Date.now,
    ...setup,
  });
  const { billing } = hosted;
  let payers = 0;
  return {
    hosted,
    billing,
    port: hosted.port,
    home,
    dataDir: join(home, 'data'),
    events,
    lines,
    async rewrite(changed) {
      file = { ...file, ...changed };
      writeFileSync(path, JSON.stringify(file));
      await hosted.reload();
    },
    operate: (operation, params = {}) => askServer(hostedControlPath(join(home, 'data')), { operation, params }),
    async payer(units = 100, limits = {}) {
      const { id } = await billing.accounts.create({ name: `payer ${++payers}`, currency: 'USD' }, 'test');
      if (units > 0) {
        const amountMicro = BigInt(Math.round(units * 1_000_000));
        await billing.accounts.credit(id, { amountMicro, reference: `first-${id}` }, 'test');
      }
      const all = { budgets: [], models: null, ...limits };
      const { key, secret } = await billing.keys.create(id, { name: 'a key', limits: all }, 'test');
      const account = await billing.accounts.get(id);
      return { account, key, secret, headers: { authorization: `Bearer ${secret}` } };
    },
    async price(model = 'demo', changed = {}) {
      const price: NewPrice = {
        provider: 'up',
        model,
        effectiveFromMs: 0,
        currency: 'USD',
        inputNano: 1_000n,
        cachedInputNano: 100n,
        outputNano: 2_000n,
        requestNano: 0n,
        imageNano: 0n,
        audioNano: 0n,
        ...changed,
      };
      await billing.prices.add([price], 'test');
    },
    async [Symbol.asyncDispose]() {
      await hosted[Symbol.asyncDispose]();
      if (directory === undefined) rmSync(home, { recursive: true, force: true });
    },
  };
}

/** A body for model `demo`. */
export function chatBody(parts: FileParts = {}): string {
  return JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'Hi' }], ...parts });
}

/** Sends a chat to provider `up`. */
export function chat({ port }: StartedHosted, { headers }: Payer, parts: FileParts = {}): Promise<Received> {
  return ask(port, 'POST', '/up/v1/chat/completions', chatBody(parts), undefined, headers);
}

/** The value of a header. */
export function headerOf({ fields }: Received, name: string): string | undefined {
  return fields.find(([key]) => key.toLowerCase() === name)?.[1];
}

/** The generations of an account, the newest first, once as many have ended. */
export async function settledOf(
  { billing }: StartedHosted,
  { account }: Payer,
  count = 1,
): Promise<readonly Generation[]> {
  const ended = async (): Promise<readonly Generation[]> => {
    const { items } = await billing.requests.list(account.id, {});
    return items.filter(({ state }) => state !== 'running');
  };
  await expect.poll(async () => (await ended()).length, SOON).toBe(count);
  return ended();
}
