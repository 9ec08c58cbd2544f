// node dist/bench/server/index.js [model] [--transport node|uws] [--uws DIRECTORY] [--rounds N] [--tokens N]: an engine asked through HTTP
// and in its own process, in turns; JSON lines. `model`: demo, or a name in ~/.troupe/bench that has a tokenizer, such as
// 1.1b-q4_0.gguf. The CPU of the thread that serves is Linux's count for the main thread: all that HTTP costs the engine's
// cores, since whatever else that thread does it does for the library too.

import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { present } from '../../src/base/index.js';
import { createModelLibrary, openModelHost } from '../../src/models/index.js';
import { codeTables } from '../../src/bin/native-engine/codes.js';
import { createServer } from '../../src/server/index.js';
import { overWire } from '../../test/support/wire-completion.js';
import { median, orderOfRound, significant } from '../record/statistics.js';
import type { Load, LoadResult } from './http-client.js';

const STREAMS = 32;
/** Requests one by one for the time to the first token. */
const SINGLES = 100;
/** Linux counts CPU in ticks of 10 ms. */
const TICKS_PER_SECOND = 100;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    transport: { type: 'string', default: 'node' },
    uws: { type: 'string', default: 'test/uws/node_modules/uWebSockets.js' },
    rounds: { type: 'string', default: '5' },
    tokens: { type: 'string', default: '200' },
  },
});
const [id = 'demo'] = positionals;
const transport = values.transport === 'uws' ? 'uws' : 'node';
const maxTokens = Number(values.tokens);

/** CPU seconds of this process's main thread; undefined where the system does not tell. */
function mainThreadSeconds(): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const fields = readFileSync(`/proc/self/task/${process.pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

function requestOf(seed: number, tokens: number) {
  const prompt = Array.from({ length: 16 }, (_, i) => 40 + ((seed * 31 + i * 7) % 200));
  return { prompt, max_tokens: tokens, seed, ignore_eos: true, stream_options: { include_usage: true } };
}

const modelsDir = join(homedir(), '.troupe', 'bench');
await using host = await openModelHost({ modelsDir });
await using server = await createServer({
  host: '127.0.0.1',
  port: 0,
  transport,
  uwsDirectory: resolve(values.uws),
  engine: host,
  build: 'bench',
  codes: codeTables,
  log: () => {},
});
await using library = createModelLibrary({ host, howToList: 'see the models directory' });
using lease = await library.open(id, new AbortController().signal);
const texts = overWire(lease.model.completion);
const client = fork(fileURLToPath(new URL('http-client.js', import.meta.url)));

const ways: Record<'http' | 'library', (count: number, tokens: number) => Promise<LoadResult>> = {
  http: (count, tokens) => askOverHttp(client, server.port, count, tokens),
  library: askLibrary,
};

async function askOverHttp(child: ChildProcess, port: number, count: number, tokens: number): Promise<LoadResult> {
  const bodies = Array.from({ length: count }, (_, seed) =>
    JSON.stringify({ model: id, stream: true, ...requestOf(seed, tokens) }),
  );
  child.send({ port, bodies } satisfies Load);
  const [result] = (await once(child, 'message')) as [LoadResult];
  return result;
}

async function askLibrary(count: number, tokens: number): Promise<LoadResult> {
  const start = performance.now();
  const streams = Array.from({ length: count }, async (_, seed) => {
    let [firstMs, completionTokens] = [0, 0];
    for await (const chunk of texts.streamText(requestOf(seed, tokens))) {
      firstMs ||= performance.now() - start;
      completionTokens = chunk.usage?.completion_tokens ?? completionTokens;
    }
    return { firstMs, completionTokens };
  });
  const ends = await Promise.all(streams);
  return {
    wallMs: performance.now() - start,
    firstMs: ends.map(({ firstMs }) => firstMs),
    completionTokens: ends.reduce((sum, end) => sum + end.completionTokens, 0),
  };
}

type Way = keyof typeof ways;
const order: Way[] = ['http', 'library'];
const rates: Record<Way, number[]> = { http: [], library: [] };
const cpu: Record<Way, number[]> = { http: [], library: [] };
const firsts: Record<Way, number[]> = { http: [], library: [] };

for (const way of order) await ways[way](STREAMS, 8);
for (let round = 0; round < Number(values.rounds); round++) {
  for (const way of orderOfRound(order, round)) {
    const before = mainThreadSeconds();
    const { wallMs, completionTokens } = await ways[way](STREAMS, maxTokens);
    const after = mainThreadSeconds();
    rates[way].push((completionTokens * 1000) / wallMs);
    if (before !== undefined && after !== undefined) cpu[way].push(((after - before) * 1000) / completionTokens);
  }
}
for (let i = 0; i < SINGLES; i++) {
  for (const way of orderOfRound(order, i)) {
    const { firstMs } = await ways[way](1, 2);
    firsts[way].push(present(firstMs[0], 'one stream has one time'));
  }
}

const figures = order.map((way) => ({
  part: 'server',
  model: id,
  way,
  ...(way === 'http' && { transport: server.transport }),
  streams: STREAMS,
  tokensPerSecond: significant(median(rates[way])),
  ...(cpu[way].length > 0 && { mainThreadSecondsPer1000Tokens: significant(median(cpu[way])) }),
  firstTokenMs: significant(median(firsts[way])),
}));
for (const line of figures) console.log(JSON.stringify(line));
const [http, own] = figures;
console.log(
  JSON.stringify({
    part: 'server',
    model: id,
    httpOverLibrary: significant((http?.tokensPerSecond ?? 0) / (own?.tokensPerSecond ?? 1)),
    httpSecondsPer1000Tokens: significant(
      (http?.mainThreadSecondsPer1000Tokens ?? 0) - (own?.mainThreadSecondsPer1000Tokens ?? 0),
    ),
    addedFirstTokenMs: significant((http?.firstTokenMs ?? 0) - (own?.firstTokenMs ?? 0)),
  }),
);
client.kill();
