// A node of the hosted API in this process on a file of its own, for suites to talk to.
import { expect } from 'vitest';
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
import { ask, type Received } from '../../relay/raw-upstream.js';
import {
  chatBody,
  SOON,
  startProduct,
  type CommonSetup,
  type FileParts,
  type StartedProduct,
} from '../../support/start-product.js';

/** Who pays in a test. */
export interface Payer {
  readonly account: Account;
  readonly key: AccountKey;
  readonly secret: string;
  /** The header that brings the key. */
  readonly headers: { readonly authorization: string };
}

/** A node at work, and what it said. */
export interface StartedHosted extends StartedProduct<Hosted> {
  readonly hosted: Hosted;
  readonly billing: Billing;
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
  const kind = {
    fileName: 'hosted.yaml',
    file: { listen: { port: 0, transport: 'node' }, secret: { env: 'SECRET' } },
    create: (path: string, common: CommonSetup) =>
      createHosted(path, {
        ...common,
        readSecret: async (source) =>
          source.from === 'env' && source.name === 'SECRET' ? SECRET : `secret-of-${source.from}`,
        ...setup,
      }),
  };
  const started = await startProduct(kind, parts, directory);
  const hosted = started.product;
  const { billing } = hosted;
  let payers = 0;
  return {
    ...started,
    hosted,
    billing,
    operate: (operation, params = {}) => askServer(hostedControlPath(started.dataDir), { operation, params }),
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
  };
}

/** Sends a chat to provider `up`. */
export function chat({ port }: StartedHosted, { headers }: Payer, parts: FileParts = {}): Promise<Received> {
  return ask(port, 'POST', '/up/v1/chat/completions', chatBody(parts), undefined, headers);
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
