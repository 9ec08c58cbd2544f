// node dist/bench/gateway/index.js [--transport node|uws] [--uws DIRECTORY] [--threads N] [--streams N] [--rounds N]
// [--portkey DIRECTORY] [--litellm VENV]: a model server that costs nothing, asked directly, through a gateway with keys and
// budgets on, and through Portkey's gateway and LiteLLM's proxy where they are installed (npm i @portkey-ai/gateway; pip
// install 'litellm[proxy]'), in turns. JSON lines. CPU and memory are Linux's counts of the process that relays.

import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createKeySecret } from '../../src/metering/index.js';
import { median, significant } from '../record/statistics.js';
import { startLitellm } from './litellm.js';
import type { Load, LoadResult } from './load.js';

const TICKS_PER_SECOND = 100;
const PORTKEY_PORT = 18_787;
const { values } = parseArgs({
  options: {
    transport: { type: 'string', default: 'node' },
    uws: { type: 'string', default: 'test/uws/node_modules/uWebSockets.js' },
    threads: { type: 'string', default: '0' },
    streams: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '5' },
    portkey: { type: 'string' },
    litellm: { type: 'string' },
  },
});

/** A way to the model server. */
interface Way {
  readonly name: string;
  readonly port: number;
  readonly key: string;
  readonly process: ChildProcess | undefined;
  readonly fields?: Readonly<Record<string, string>>;
}

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
const children: ChildProcess[] = [];

async function start(file: string, args: readonly string[]): Promise<{ port: number; child: ChildProcess }> {
  const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const [text] = (await once(child.stdout, 'data')) as [Buffer];
  return { port: Number(text.toString()), child };
}

async function startGateway(upstream: number): Promise<Way> {
  const { secret, prefix, hash } = createKeySecret('gwk');
  const file = join(scratch, 'gateway.yaml');
  writeFileSync(
    file,
    `gateway_id: gw_bench
listen: 127.0.0.1:0
runtimes: [{ id: bench, kind: openai-compatible, base_url: 'http://127.0.0.1:${upstream}' }]
models: [{ id: bench, targets: [{ runtime: bench, model: bench }], price: { input_per_million: '0.10', output_per_million: '0.40', currency: EUR } }]
virtual_keys:
  - id: vk_bench
    name: bench
    prefix: ${prefix}
    hash: ${hash}
    models: null
    limits:
      requests_per_minute: 1000000
      tokens_per_minute: 1000000000000
      parallel_requests: 100000
      budget: [{ tokens: 1000000000000, window: month }, { amount: '1000000', currency: EUR, window: month }]
`,
    { mode: 0o600 },
  );
  const args = [file, values.transport, resolve(values.uws), values.threads];
  const { port, child } = await start(here('serve.js'), args);
  return { name: `troupe, ${values.transport}`, port, key: secret, process: child };
}

/** A process that listens on a port of its own choice; resolves when it answers. */
async function startPeer(name: string, port: number, command: readonly string[], env: object = {}): Promise<Way> {
  const [file = '', ...args] = command;
  const child = spawn(file, args, { stdio: 'ignore', env: { ...process.env, ...env } });
  children.push(child);
  for (let tries = 0; tries < 300; tries++) {
    const isThere = await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
    if (isThere) return { name, port, key: 'sk-bench', process: child };
    await setTimeout(200);
  }
  throw new Error(`${name} does not answer on port ${port}`);
}

async function startPortkey(directory: string, upstream: number): Promise<Way> {
  const file = join(directory, 'node_modules/@portkey-ai/gateway/build/start-server.js');
  const way = await startPeer('portkey', PORTKEY_PORT, [
    process.execPath,
    file,
    `--port=${PORTKEY_PORT}`,
    '--headless',
  ]);
  const fields = { 'x-portkey-provider': 'openai', 'x-portkey-custom-host': `http://127.0.0.1:${upstream}/v1` };
  return { ...way, fields };
}

/** CPU seconds and resident bytes of a process. */
function usageOf({ process: child }: Way): { cpu: number; rss: number } {
  if (child?.pid === undefined) return { cpu: 0, rss: 0 };
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return { cpu: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND, rss: Number(fields[21]) * 4096 };
}

const client = fork(here('load.js'));
children.push(client);

async function ask(way: Way, load: Omit<Load, 'port' | 'path' | 'key'>): Promise<LoadResult> {
  client.send({
    port: way.port,
    path: '/v1/chat/completions',
    key: way.key,
    fields: way.fields,
    ...load,
  } satisfies Load);
  const [result] = (await once(client, 'message')) as [LoadResult];
  return result;
}

const kinds = {
  // Enough to keep it always at work, and few enough that no request waits long.
  most: { connections: 64, durationMs: Number(values.seconds) * 1000 },
  'at 1,000/s': { connections: 64, durationMs: Number(values.seconds) * 1000, rate: 1_000 },
  'first token at 200/s': {
    connections: 64,
    durationMs: Number(values.seconds) * 1000,
    rate: 200,
    stream: { chunks: 20, everyMs: 0, once: false },
  },
} as const satisfies Record<string, Omit<Load, 'port' | 'path' | 'key'>>;

function say(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

try {
  const upstream = await start(here('upstream.js'), []);
  const direct: Way = { name: 'direct', port: upstream.port, key: 'none', process: undefined };
  const ways = [direct, await startGateway(upstream.port)];
  if (values.portkey !== undefined) ways.push(await startPortkey(values.portkey, upstream.port));
  if (values.litellm !== undefined) {
    const { child, port, key } = await startLitellm(values.litellm, scratch, upstream.port);
    children.push(child);
    ways.push({ name: 'litellm', port, key, process: child });
  }
  for (const way of ways) await ask(way, { connections: 16, durationMs: 2_000 });
  const results = new Map<string, LoadResult[]>();
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const [kind, load] of Object.entries(kinds)) {
      for (const way of ways) {
        const before = usageOf(way);
        const result = await ask(way, load);
        const after = usageOf(way);
        const cpuUs = ((after.cpu - before.cpu) * 1e6) / result.requests;
        say({ round, kind, way: way.name, node: process.version, ...result, cpuUs: significant(cpuUs, 3) });
        const name = `${kind}: ${way.name}`;
        results.set(name, [...(results.get(name) ?? []), result]);
      }
    }
  }
  for (const [name, all] of results) {
    const of = (pick: (result: LoadResult) => number): number => significant(median(all.map(pick)), 3);
    say({
      median: name,
      perSecond: of((r) => r.perSecond),
      p50: of((r) => r.p50),
      p99: of((r) => r.p99),
      firstByteP50: of((r) => r.firstByteP50),
      firstByteP99: of((r) => r.firstByteP99),
    });
  }
  const streams = Number(values.streams);
  if (streams > 0) {
    for (const way of ways) {
      const before = usageOf(way);
      let peak = before.rss;
      const watch = setInterval(() => (peak = Math.max(peak, usageOf(way).rss)), 200);
      const result = await ask(way, {
        connections: streams,
        durationMs: 0,
        stream: { chunks: 100, everyMs: 100, once: true },
      });
      clearInterval(watch);
      say({
        kind: `${streams} streams of 100 events in 10 s`,
        way: way.name,
        ...result,
        kbAStream: significant((peak - before.rss) / 1024 / streams, 3),
      });
    }
  }
} finally {
  for (const child of children) child.kill();
  rmSync(scratch, { recursive: true, force: true });
}
