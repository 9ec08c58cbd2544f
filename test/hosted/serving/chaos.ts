// Load on nodes that are killed, over clients that leave and a provider that cuts: what must be left in the books.
import { fork, type ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'vitest';
import { systemClock } from '../../../src/base/index.js';
import { openBilling, type Billing, type Generation } from '../../../src/billing/index.js';
import type { Database } from '../../../src/database/index.js';
import { toServiceKeys } from '../../../src/hosted/service/service-keys.js';
import { providerAt } from './start-hosted.js';

/** What a run does. */
export interface ChaosOptions {
  readonly home: string;
  readonly requests: number;
  readonly clients: number;
  /** Nodes at once, and between two kills of one; 0: none is killed. */
  readonly nodes: number;
  readonly killMs: number;
  /** `database` of hosted.yaml, and the environment of nodes. */
  readonly database: unknown;
  readonly env: Readonly<Record<string, string>>;
  /** Opens the database as a node does, when no node runs. */
  readonly open: () => Promise<Database>;
  /** Done once at each of these parts of the requests, as restarting the database. */
  readonly disturb?: { readonly atParts: readonly number[]; readonly run: () => Promise<void> };
}

/** What came of a run. */
export interface ChaosResult {
  readonly settled: number;
  readonly voided: number;
  /** Of the answers that the provider had told to their end, those that were charged as it told. */
  readonly exact: number;
  readonly whole: number;
  readonly refused: number;
  readonly kills: number;
  readonly seconds: number;
  /** Answers with an error, by status. */
  readonly errors: Readonly<Record<string, number>>;
}

const SECRET = '0123456789abcdef0123456789abcdef';
const CREDIT_MICRO = 1_000_000_000n;
const PRICE = { input: 1_000n, output: 2_000n };
const CASE = 'x-case';

/** How one request of a run ends by plan. */
type Fate = 'whole' | 'stream' | 'leaves' | 'cut';
const fateOf = (index: number): Fate =>
  index % 20 === 7 ? 'leaves' : index % 50 === 11 ? 'cut' : index % 2 === 0 ? 'stream' : 'whole';
const promptOf = (index: number): number => 5 + (index % 40);
const tokensOf = (index: number): number => 3 + (index % 17);

/** What the provider has told of one request, to its end. */
const told = new Map<number, { readonly prompt: number; readonly completion: number }>();

function startProvider(): Promise<Server> {
  told.clear();
  const server = createServer((request, response) => {
    request.resume();
    request.once('end', () => {
      const index = Number(request.headers[CASE]);
      void answer(index, response);
    });
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

async function answer(index: number, response: import('node:http').ServerResponse): Promise<void> {
  const [prompt, completion] = [promptOf(index), tokensOf(index)];
  const usage = `{"prompt_tokens":${prompt},"completion_tokens":${completion},"total_tokens":${prompt + completion}}`;
  const fate = fateOf(index);
  if (fate === 'whole') {
    response.setHeader('content-type', 'application/json');
    response.end(`{"choices":[{"index":0,"message":{"role":"assistant","content":"a"}}],"usage":${usage}}`);
    told.set(index, { prompt, completion });
    return;
  }
  response.setHeader('content-type', 'text/event-stream');
  for (let i = 0; i < completion; i++) {
    response.write('data: {"choices":[{"index":0,"delta":{"content":" a"}}]}\n\n');
    if (fate === 'cut' && i === 1) return void response.destroy();
    if (i % 4 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  if (response.destroyed) return;
  told.set(index, { prompt, completion });
  response.write(`data: {"choices":[],"usage":${usage}}\n\n`);
  response.end('data: [DONE]\n\n');
}

/** One request; gives its generation id where a head came, and whether its answer came whole. */
function send(
  port: number,
  agent: Agent,
  key: string,
  index: number,
): Promise<{ readonly id?: string; readonly isWhole: boolean; readonly status?: number }> {
  const fate = fateOf(index);
  const body = JSON.stringify({
    model: 'demo',
    ...(fate !== 'whole' && { stream: true }),
    messages: [{ role: 'user', content: 'Hi' }],
  });
  const headers = { authorization: `Bearer ${key}`, [CASE]: String(index), 'content-length': String(body.length) };
  return new Promise((resolve) => {
    const request = httpRequest(
      { host: '127.0.0.1', port, agent, method: 'POST', path: '/up/v1/chat/completions', headers },
      (got) => {
        const id = got.headers['x-generation-id'];
        const seen = { ...(typeof id === 'string' && { id }), status: got.statusCode ?? 0 };
        got.on('data', () => fate === 'leaves' && request.destroy());
        got.on('end', () => resolve({ ...seen, isWhole: got.complete && got.statusCode === 200 }));
        got.on('error', () => resolve({ ...seen, isWhole: false }));
        got.on('close', () => resolve({ ...seen, isWhole: false }));
      },
    );
    request.on('error', () => resolve({ isWhole: false }));
    request.end(body);
  });
}

/** A node in a process of its own, in a data directory of its own. */
interface Node {
  readonly child: ChildProcess;
  readonly port: number;
}

function startNode(path: string, env: Readonly<Record<string, string>>): Promise<Node> {
  const child = fork(join(import.meta.dirname, '../fixtures/hosted-process.js'), [path], {
    env: { ...process.env, ...env, HOSTED_SECRET: SECRET, UP_KEY: 'up' },
  });
  return new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error('the node did not start')));
    child.once('message', (said) => resolve({ child, port: (said as { readonly port: number }).port }));
  });
}

/** As a supervisor of processes does: a database that is away keeps a node from starting. */
async function startAgain(path: string, env: Readonly<Record<string, string>>): Promise<Node> {
  for (let tries = 1; ; tries++) {
    try {
      return await startNode(path, env);
    } catch (error) {
      if (tries === MAX_STARTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}

const MAX_STARTS = 60;

const ended = ({ child }: Node): Promise<unknown> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise((resolve) => child.once('exit', resolve));

/** Opens billing as a node does, to prepare a run and to look at what it left. */
async function withBilling<T>({ open, home }: ChaosOptions, work: (billing: Billing) => Promise<T>): Promise<T> {
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

/** Runs it, and holds the books against what the provider told. */
export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const { home, requests, clients, killMs, database, env, disturb } = options;
  const provider = await startProvider();
  const paths = Array.from({ length: options.nodes }, (_, i) => {
    const path = join(home, `hosted-${i}.yaml`);
    mkdirSync(join(home, `data-${i}`), { recursive: true });
    const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
    const file = {
      listen: { port: 0, transport: 'node' },
      data_dir: `./data-${i}`,
      secret: { env: 'HOSTED_SECRET' },
      database,
      providers: [providerAt(url, { connections: 2_000 })],
      // Nodes that are killed are back sooner than a breaker would be.
      limits: { request_s: 60 },
    };
    writeFileSync(path, JSON.stringify(file));
    return path;
  });
  const { accountId, secret } = await withBilling(options, async (billing) => {
    const account = await billing.accounts.create({ name: 'chaos', currency: 'USD' }, 'test');
    await billing.accounts.credit(account.id, { amountMicro: CREDIT_MICRO, reference: 'first' }, 'test');
    const limits = { budgets: [], models: null };
    const made = await billing.keys.create(account.id, { name: 'a', limits }, 'test');
    const price = {
      provider: 'up',
      model: 'demo',
      effectiveFromMs: 0,
      currency: 'USD',
      requestNano: 0n,
      imageNano: 0n,
      audioNano: 0n,
    };
    await billing.prices.add(
      [{ ...price, inputNano: PRICE.input, cachedInputNano: PRICE.input, outputNano: PRICE.output }],
      'test',
    );
    return { accountId: account.id, secret: made.secret };
  });

  const startedMs = Date.now();
  const nodes = await Promise.all(paths.map((path) => startNode(path, env)));
  const agents = nodes.map(() => new Agent({ keepAlive: true, maxSockets: clients }));
  const ids = new Map<number, string>();
  let [sent, answered, whole, refused, kills] = [0, 0, 0, 0, 0];
  const statuses = new Map<number, number>();
  let isOver = false;
  const work = async (): Promise<void> => {
    while (answered < requests) {
      const index = sent++;
      const at = index % nodes.length;
      const node = nodes[at];
      const agent = agents[at];
      if (node === undefined || agent === undefined) continue;
      const got = await send(node.port, agent, secret, index);
      if (got.id !== undefined) ids.set(index, got.id);
      if (got.isWhole) whole++;
      if (got.status !== undefined) {
        answered++;
        if (got.status >= 400) statuses.set(got.status, (statuses.get(got.status) ?? 0) + 1);
      } else {
        refused++;
        // The node is being started again.
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  };
  const kill = async (): Promise<void> => {
    for (let turn = 0; !isOver && killMs > 0; turn++) {
      await new Promise((resolve) => setTimeout(resolve, killMs));
      if (isOver) return;
      const at = turn % nodes.length;
      const [node, path] = [nodes[at], paths[at]];
      if (node === undefined || path === undefined) return;
      node.child.kill('SIGKILL');
      await ended(node);
      kills++;
      nodes[at] = await startAgain(path, env);
    }
  };
  const disturbing = async (): Promise<void> => {
    for (const part of disturb?.atParts ?? []) {
      while (!isOver && answered < part * requests) await new Promise((resolve) => setTimeout(resolve, 50));
      if (!isOver) await disturb?.run();
    }
  };
  const killing = kill();
  const disturbed = disturbing();
  await Promise.all(Array.from({ length: clients }, work));
  isOver = true;
  await Promise.all([killing, disturbed]);
  for (const agent of agents) agent.destroy();
  for (const node of nodes) node.child.kill('SIGTERM');
  await Promise.all(nodes.map(ended));
  const seconds = (Date.now() - startedMs) / 1_000;
  await new Promise((resolve) => provider.close(resolve));

  return withBilling(options, async (billing) => {
    // Holds of nodes that died end with their leases.
    await expect
      .poll(async () => (await billing.tick(), (await billing.accounts.get(accountId)).heldMicro), {
        timeout: 600_000,
        interval: 500,
      })
      .toBe(0n);
    const generations = await allOf(billing, accountId);
    const byId = new Map(generations.map((each) => [each.requestId, each]));
    expect(byId.size, 'no request is charged twice').toBe(generations.length);
    let exact = 0;
    for (const [index, id] of ids) {
      const found = byId.get(id);
      const right = told.get(index);
      if (found?.state !== 'settled' || found.isEstimated || right === undefined) continue;
      expect([index, found.promptTokens, found.completionTokens]).toEqual([index, right.prompt, right.completion]);
      expect(found.costMicro).toBe(costOf(right.prompt, right.completion));
      exact++;
    }
    const settled = generations.filter(({ state }) => state === 'settled');
    const spent = settled.reduce((sum, { costMicro }) => sum + costMicro, 0n);
    const account = await billing.accounts.get(accountId);
    expect(account.availableMicro).toBe(CREDIT_MICRO - spent);
    const check = await billing.ledger.verify();
    expect(check.faults).toEqual([]);
    expect(billing.outboxDepth).toBe(0);
    const voided = generations.filter(({ state }) => state === 'voided').length;
    return {
      settled: settled.length,
      voided,
      exact,
      whole,
      refused,
      kills,
      seconds,
      errors: Object.fromEntries(statuses),
    };
  });
}

function costOf(prompt: number, completion: number): bigint {
  const nano = BigInt(prompt) * PRICE.input + BigInt(completion) * PRICE.output;
  return (nano + 999n) / 1_000n;
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
