// node dist/bench/grpc/index.js [model] [--rounds N] [--tokens N]: an engine asked over gRPC with mutual TLS and in its own process,
// in turns; JSON lines. `model`: demo, or 1.1b, a random model of that shape in Q4_0, which is made in the bench folder once
// and speaks by a template of ChatML.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { present, systemClock } from '../../src/base/index.js';
import { judges } from '../../src/bin/native-engine/serving/serve-config.js';
import { codeTables } from '../../src/bin/native-engine/codes.js';
import { importGguf } from '../../src/convert/index.js';
import { createOneModelLibrary, demoDirectory, openModelHost } from '../../src/models/index.js';
import { createProductionServer, prepareStart, readTrust } from '../../src/server/index.js';
import { createCa, createFiles, forClient, forServer } from '../../test/grpc/certificates.js';
import { overWire } from '../../test/support/wire-completion.js';
import { findModelFile } from '../contest/model-files.js';
import { median, orderOfRound, significant } from '../record/statistics.js';
import type { LoadResult } from '../server/http-client.js';
import type { GrpcLoad } from './grpc-client.js';

const STREAMS = 32;
/** Requests one by one for the time to the first token. */
const SINGLES = 60;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '5' }, tokens: { type: 'string', default: '100' } },
});
const [model = 'demo'] = positionals;
const maxTokens = Number(values.tokens);

/** The artifact, and the template that a random model lacks. */
async function findArtifact(): Promise<{ readonly directory: string; readonly template?: string }> {
  if (model === 'demo') return { directory: demoDirectory() };
  const found = await findModelFile('1.1B Q4_0');
  if ('reason' in found) throw new Error(found.reason);
  return { directory: await importGguf({ file: found.path }), template: 'chatml' };
}

const { directory, template } = await findArtifact();
using files = createFiles();
const ca = await createCa();
const [forUs, forThem] = [await forServer(ca), await forClient(ca, 'data')];
files.write('ca.pem', ca.cert);
files.write('server.pem', forUs.cert);
files.write('server.key', forUs.key);
const config = files.write(
  'engine.json',
  JSON.stringify({
    engine: { grpc_port: 0 },
    security: {
      mtls_required: true,
      server_cert_path: 'server.pem',
      server_key_path: 'server.key',
      client_ca_path: 'ca.pem',
      data_identities: ['spiffe://suite.test/data'],
      allow_unsigned_dev: true,
    },
    model: { artifact_path: directory },
  }),
);
const plan = await prepareStart(config, judges, systemClock);
await using host = await openModelHost({ ...(template !== undefined && { template }) });
await using library = createOneModelLibrary({
  model: { name: plan.artifact.id, path: directory, isFile: false, changedMs: plan.artifact.changedMs },
  host,
});
const { completion } = await library.load(async () => {}, new AbortController().signal);
await using server = await createProductionServer({
  engineId: 'bench',
  host: '127.0.0.1',
  port: 0,
  trust: plan.trust,
  readTrust: async () => (await readTrust(config, judges, systemClock)).trust,
  verify: async () => {},
  library,
  engine: host,
  build: 'bench',
  codes: codeTables,
  log: () => {},
});
const client = fork(fileURLToPath(new URL('grpc-client.js', import.meta.url)));
const texts = overWire(completion);
let numAsked = 0;
/** Each is asked once, so that neither way finds prompts of before in the cache. */
const questionsOf = (count: number): string[] =>
  Array.from({ length: count }, () => `${++numAsked} is a number. Tell me a story about it.`);

const ways: Record<'grpc' | 'library', (count: number, tokens: number) => Promise<LoadResult>> = {
  async grpc(count, tokens) {
    const tls = { ca: ca.cert, cert: forThem.cert, key: forThem.key };
    const load = { address: `localhost:${server.port}`, tls, questions: questionsOf(count), maxTokens: tokens };
    client.send(load satisfies GrpcLoad);
    const [result] = (await once(client, 'message')) as [LoadResult];
    return result;
  },
  async library(count, tokens) {
    const start = performance.now();
    const streams = questionsOf(count).map(async (content, seed) => {
      const startMs = performance.now();
      let [firstMs, completionTokens] = [0, 0];
      const request = { messages: [{ role: 'user' as const, content }], max_tokens: tokens, seed, ignore_eos: true };
      const body = { ...request, model: '', stream_options: { include_usage: true } };
      // Over gRPC every caller has a name, and finds the beginnings of its own prompts again.
      for await (const chunk of texts.stream(body, { caller: 'library' })) {
        if (chunk.choices[0]?.delta.content) firstMs ||= performance.now() - startMs;
        completionTokens = chunk.usage?.completion_tokens ?? completionTokens;
      }
      return { firstMs, completionTokens };
    });
    const result = { firstMs: [] as number[], completionTokens: 0 };
    for (const { firstMs, completionTokens } of await Promise.all(streams)) {
      result.firstMs.push(firstMs);
      result.completionTokens += completionTokens;
    }
    return { ...result, wallMs: performance.now() - start };
  },
};

type Way = keyof typeof ways;
const order: Way[] = ['grpc', 'library'];
const rates: Record<Way, number[]> = { grpc: [], library: [] };
const firsts: Record<Way, number[]> = { grpc: [], library: [] };
const ratios: number[] = [];
for (const way of order) await ways[way](STREAMS, 8);
for (let round = 0; round < Number(values.rounds); round++) {
  for (const way of orderOfRound(order, round)) {
    const { wallMs, completionTokens } = await ways[way](STREAMS, maxTokens);
    rates[way].push((completionTokens * 1000) / wallMs);
  }
  ratios.push((rates.grpc[round] ?? 0) / (rates.library[round] ?? 1));
}
for (let i = 0; i < SINGLES; i++) {
  for (const way of orderOfRound(order, i)) {
    const { firstMs } = await ways[way](1, 2);
    firsts[way].push(present(firstMs[0], 'one stream has one time'));
  }
}
const added = firsts.grpc.map((ms, i) => ms - (firsts.library[i] ?? 0));
for (const way of order) {
  const figures = { tokensPerSecond: significant(median(rates[way])), firstTokenMs: significant(median(firsts[way])) };
  console.log(JSON.stringify({ part: 'grpc', model, way, streams: STREAMS, ...figures }));
}
console.log(
  JSON.stringify({
    part: 'grpc',
    model,
    grpcOverLibrary: significant(median(ratios)),
    addedFirstTokenMs: significant(median(added)),
  }),
);
client.kill();
