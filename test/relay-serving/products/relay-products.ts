// The products that relay, as the contract suites of this folder see them: what both do is tested once, over both.
import { describe, expect } from 'vitest';
import { present } from '../../../src/base/index.js';
import { GATEWAY_ID_HEADER } from '../../../src/gateway/index.js';
import { dialects } from '../../../src/relay/index.js';
import { makeKey, modelOf, runtimeAt, startGateway } from '../../gateway/serving/start-gateway.js';
import { providerAt, settledOf, startHosted, type Payer } from '../../hosted/serving/start-hosted.js';
import { overTransports } from '../../http/over-transports.js';
import { NOT_OF_A_GATEWAY } from '../../relay/corpus-checks.js';
import { ask, type Received } from '../../relay/raw-upstream.js';
import { chatBody, SOON, type FileParts, type StartedProduct } from '../../support/start-product.js';

/** Limits of a key; absent: none, and money for everything. */
export interface CallerLimits {
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
  readonly parallelRequests?: number;
  readonly expiresAtMs?: number;
  /** Money of its account, where the product has accounts. */
  readonly units?: number;
}

/** A key, and the header that brings its secret. */
export interface Caller {
  readonly id: string;
  readonly secret: string;
  readonly headers: { readonly authorization: string };
}

/** A product at work before one upstream. */
export interface RelayingProduct extends Omit<StartedProduct<unknown>, 'product'> {
  caller(limits?: CallerLimits): Promise<Caller>;
  /** Gives its key another secret; that of before is taken for the grace. */
  rotate(caller: Caller, graceMs: number): Promise<Caller>;
  disable(caller: Caller): Promise<void>;
  /** Sends a chat. */
  chat(caller: Pick<Caller, 'headers'>, parts?: FileParts): Promise<Received>;
  /** Completion tokens of its requests, the newest first, once so many have ended; nothing is reserved then. */
  ended(caller: Caller, count: number): Promise<readonly number[]>;
  /** What it paid, in micro-units; undefined: the product takes no money. */
  paidMicro(caller: Caller): Promise<bigint | undefined>;
  /** Fields of the file that send requests to another upstream. */
  aim(url: string): FileParts;
  /** Other fields of its own, of which no request of a caller takes notice; others for each number. */
  vary(number: number): FileParts;
}

/** Options of a start. */
export interface RelaySetup {
  readonly transport?: 'node' | 'uws';
  readonly metering?: 'inject' | 'observe';
  readonly now?: () => number;
}

/** A product that relays. */
export interface RelayProduct {
  readonly name: string;
  /** Where it takes chats. */
  readonly chatPath: string;
  /** Where each API is asked for, and the model of a request to it: of a target of its own. */
  readonly apis: readonly { readonly path: string; readonly model: string }[];
  /** Whether it relays requests of a method. */
  readonly relays: (method: string) => boolean;
  /** Whether a request reaches the upstream byte for byte. */
  readonly keepsBody: boolean;
  /** Whether its transports share the corpus of answers: each has every other one. The gateway relays all over both. */
  readonly sharesCorpus: boolean;
  /** Fields that it sets itself, and fields of an upstream that it does not hand on. */
  readonly ours: readonly string[];
  readonly dropped: RegExp;
  start(url: string, setup?: RelaySetup): Promise<RelayingProduct>;
}

const GATEWAY_PATHS = [...Object.values(dialects).map(({ path }) => path), '/v1/rerank'];
const HOSTED_DIALECTS = ['chat-completions', 'completions', 'embeddings', 'responses', 'messages'] as const;
const HOSTED_APIS = HOSTED_DIALECTS.map((dialect) => ({ path: `/v1/${dialect}`, dialect }));

const gateway: RelayProduct = {
  name: 'the gateway',
  chatPath: '/v1/chat/completions',
  apis: GATEWAY_PATHS.map((path, i) => ({ path, model: `demo${i}` })),
  relays: () => true,
  keepsBody: false,
  sharesCorpus: false,
  ours: [GATEWAY_ID_HEADER],
  dropped: NOT_OF_A_GATEWAY,
  async start(url, { transport = 'node', metering = 'observe', now } = {}) {
    const aim = (to: string): FileParts => ({ runtimes: [runtimeAt(to, { kind: 'vllm', metering })] });
    const models = [modelOf(), ...gateway.apis.map(({ model }) => modelOf({ id: model }))];
    const { entry: unused } = makeKey();
    const parts = { ...aim(url), models, passthrough: ['/v1/rerank'] };
    const started = await startGateway(parts, { transport, ...(now !== undefined && { now }) });
    const { meter } = started;
    const toCaller = ({
      record,
      secret,
    }: {
      readonly record: { readonly id: string };
      readonly secret: string;
    }): Caller => ({
      id: record.id,
      secret,
      headers: { authorization: `Bearer ${secret}` },
    });
    return {
      ...started,
      async caller({ expiresAtMs = null, ...asked } = {}) {
        const { requestsPerMinute, tokensPerMinute, parallelRequests } = asked;
        const limits = {
          budgets: [],
          ...(requestsPerMinute !== undefined && { requestsPerMinute }),
          ...(tokensPerMinute !== undefined && { tokensPerMinute }),
          ...(parallelRequests !== undefined && { parallelRequests }),
        };
        const rules = { name: 'a key', models: null, expiresAtMs, limits };
        return toCaller(await meter.createKey(rules, { kind: 'cli' }));
      },
      rotate: async ({ id }, graceMs) => toCaller(await meter.rotateKey(id, graceMs, { kind: 'cli' })),
      disable: async ({ id }) => void (await meter.setKeyState(id, 'disabled', { kind: 'cli' })),
      chat: ({ headers }, more) => ask(started.port, 'POST', gateway.chatPath, chatBody(more), undefined, headers),
      async ended({ id }, count) {
        const rows = (): ReturnType<typeof meter.requests> =>
          // Its log has refused requests too.
          meter.requests({ limit: 2 * count + 2, keyId: id }).filter(({ status }) => status !== 429);
        await expect.poll(() => [rows().length, meter.usageOf(id).runningRequests], SOON).toEqual([count, 0]);
        return rows().map(({ completionTokens }) => completionTokens);
      },
      paidMicro: async () => undefined,
      aim,
      vary: (i) => ({
        models: [...models, modelOf({ id: `new${i}` })],
        virtual_keys: i % 3 === 0 ? [] : [{ ...unused, name: `n${i}` }],
        passthrough: i % 2 === 0 ? ['/v1/score'] : [],
      }),
    };
  },
};

const hosted: RelayProduct = {
  name: 'the hosted API',
  chatPath: '/up/v1/chat/completions',
  apis: HOSTED_APIS.map(({ path }, i) => ({ path: `/up${i}${path}`, model: 'demo' })),
  relays: (method) => method === 'POST',
  keepsBody: true,
  sharesCorpus: true,
  ours: ['x-troupe-service-id', 'x-generation-id'],
  dropped: /^set-cookie$/i,
  async start(url, { transport = 'node', metering = 'observe', now } = {}) {
    const aim = (to: string): FileParts => ({
      providers: [
        providerAt(to, { metering }),
        ...HOSTED_APIS.map((api, i) => providerAt(to, { id: `up${i}`, metering, paths: [api] })),
      ],
    });
    const parts = { ...aim(url), listen: { port: 0, transport } };
    const started = await startHosted(parts, { ...(now !== undefined && { now }) });
    const { billing } = started;
    await started.price();
    for (const i of HOSTED_APIS.keys()) await started.price('demo', { provider: `up${i}` });
    const payers = new Map<string, Payer & { readonly units: number }>();
    const payerOf = ({ id }: Caller): Payer & { readonly units: number } => present(payers.get(id), 'it was made here');
    return {
      ...started,
      async caller({ units = 100, expiresAtMs, ...limits } = {}) {
        const payer = await started.payer(units);
        const { id } = payer.account;
        const wanted = { name: 'a key', limits: { budgets: [], models: null, ...limits } };
        const made = await billing.keys.create(
          id,
          { ...wanted, ...(expiresAtMs !== undefined && { expiresAtMs }) },
          'test',
        );
        payers.set(made.key.id, { ...payer, ...made, units });
        return { id: made.key.id, secret: made.secret, headers: { authorization: `Bearer ${made.secret}` } };
      },
      async rotate({ id }, graceMs) {
        const { secret } = await billing.keys.rotate(id, graceMs, 'test');
        return { id, secret, headers: { authorization: `Bearer ${secret}` } };
      },
      disable: async ({ id }) => void (await billing.keys.setState(id, 'disabled', 'test')),
      chat: ({ headers }, more) => ask(started.port, 'POST', hosted.chatPath, chatBody(more), undefined, headers),
      async ended(caller, count) {
        const { account } = payerOf(caller);
        const generations = await settledOf(started, payerOf(caller), count);
        await expect.poll(async () => (await billing.accounts.get(account.id)).heldMicro, SOON).toBe(0n);
        expect((await billing.ledger.verify()).faults).toEqual([]);
        return generations.map(({ completionTokens }) => completionTokens);
      },
      async paidMicro(caller) {
        const { account, units } = payerOf(caller);
        return BigInt(Math.round(units * 1_000_000)) - (await billing.accounts.get(account.id)).availableMicro;
      },
      aim,
      vary: (i) => ({ gateways: { sync_interval_s: 60 + i }, alerts: { low_balance: `${i}` } }),
    };
  },
};

const products: readonly RelayProduct[] = [gateway, hosted];

/** A contract: one suite for each product. */
export function describeProducts(what: string, suite: (product: RelayProduct) => void): void {
  for (const product of products) describe(`${what} of ${product.name}`, () => suite(product));
}

/** The same, for each product and transport. */
export function describeTransports(
  what: string,
  suite: (product: RelayProduct, transport: 'node' | 'uws') => void,
): void {
  for (const product of products)
    overTransports(`${what} of ${product.name}`, (transport) => suite(product, transport));
}
