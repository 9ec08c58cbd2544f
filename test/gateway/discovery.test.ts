// Discovery over real sockets: every imitation at once, and those who must never be taken.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  runtimeKinds,
  type Finding,
  type RuntimeKind,
  type RuntimeKindName,
  type ScanCounts,
} from '../../src/gateway/index.js';
import { systemClock } from '../../src/base/index.js';
import type { RuntimeConfig } from '../../src/gateway/config/index.js';
import { verifyRuntime } from '../../src/gateway/probes/probe-runtime.js';
import { imitations } from './imitations/index.js';
import { impostors } from './imitations/impostors.js';
import { collect, endAll, findingOf, scanOf } from './imitations/scanning.js';
import { serveImitation, type Served } from './imitations/serve.js';

const names = Object.keys(runtimeKinds) as RuntimeKindName[];
const allowedPaths = new Set(
  Object.values(runtimeKinds).flatMap((kind: RuntimeKind) => [...kind.probes, ...(kind.costlyProbes ?? [])]),
);
/** What an endless or silent impostor costs. */
const QUICK = { endpointMs: 2_000 };

describe('one scan of an imitation of every kind and of all impostors', () => {
  const real = new Map<RuntimeKindName, Served>();
  const pretending = new Map<string, Served>();
  let byPort: ReadonlyMap<number, Finding> = new Map();
  let counts: ScanCounts | undefined;

  beforeAll(async () => {
    for (const name of names) real.set(name, await serveImitation(imitations[name]));
    for (const [name, start] of Object.entries(impostors)) pretending.set(name, await start());
    const ports = [...real.values(), ...pretending.values()].map(({ port }) => port);
    // A port where nothing listens any more.
    const gone = await serveImitation(imitations.ollama);
    await gone[Symbol.asyncDispose]();
    // Impostors may take time, and real ones must not run out of it beside them.
    ({ byPort, counts } = await collect(
      scanOf([...ports, gone.port], { limits: { endpointMs: 10_000, connectMs: 10_000, perHost: 64 } }),
    ));
  });
  afterAll(() => endAll([...real.values(), ...pretending.values()]));

  it.each(names)('names %s rightly', (name) => {
    const finding = byPort.get(real.get(name)?.port ?? 0);
    expect(finding).toMatchObject({ kind: name, proof: expect.stringMatching(/^GET \//) });
    const { refusal } = runtimeKinds[name];
    expect(finding?.state).toMatch(refusal === undefined ? /^(?:found|auth)$/ : /^skipped$/);
  });

  it.each(Object.keys(impostors))('does not take %s', (name) => {
    const finding = byPort.get(pretending.get(name)?.port ?? 0);
    expect(finding).toMatchObject({ kind: null, proof: null, reason: expect.any(String) });
    expect(finding?.state).toMatch(/^(?:skipped|impostor)$/);
  });

  it('tells what was tried and what came of it', () => {
    const states = [...byPort.values()].map(({ state }) => state);
    const numOf = (state: string): number => states.filter((found) => found === state).length;
    expect(counts).toEqual({
      endpoints: real.size + pretending.size + 1,
      excluded: 0,
      tried: real.size + pretending.size + 1,
      closed: 1,
      silent: 0,
      found: numOf('found'),
      auth: numOf('auth'),
      skipped: numOf('skipped'),
      impostor: numOf('impostor'),
    });
    expect(numOf('auth')).toBe(2);
    expect(numOf('impostor')).toBeGreaterThan(5);
  });

  it('sent nothing but the GETs of the list, without credentials and bodies', () => {
    const asked = [...real.values(), ...pretending.values()].flatMap((served) => served.asked);
    expect(asked.length).toBeGreaterThan(100);
    expect(asked.filter(({ method, path }) => method !== 'GET' || !allowedPaths.has(path as `/${string}`))).toEqual([]);
    const fields = new Set(asked.flatMap(({ headers }) => Object.keys(headers)));
    expect([...fields].toSorted()).toEqual(['accept', 'accept-encoding', 'connection', 'host', 'user-agent']);
  });

  it('asked nothing twice, and never the path by which LiteLLM calls its providers', () => {
    for (const { asked } of real.values()) {
      const paths = asked.map(({ path }) => path);
      expect(paths).toHaveLength(new Set(paths).size);
    }
    expect(real.get('litellm')?.asked.map(({ path }) => path)).not.toContain('/health');
  });

  it('tells url, version and models as gateway.yaml needs them', () => {
    const of = (name: RuntimeKindName): Finding | undefined => byPort.get(real.get(name)?.port ?? 0);
    const url = (name: RuntimeKindName): string => real.get(name)?.url ?? '';
    expect(of('native-engine')).toEqual({
      url: url('native-engine'),
      kind: 'native-engine',
      proof: 'GET /api/version has engine troupe',
      version: '0.1.0',
      models: ['demo'],
      state: 'found',
      fingerprint: '1:native-engine:-',
    });
    expect(of('docker-model-runner')).toMatchObject({
      url: `${url('docker-model-runner')}/engines`,
      models: ['ai/smollm2'],
    });
    expect(of('lemonade')).toMatchObject({ url: `${url('lemonade')}/api`, version: '10.0.0' });
    expect(of('vllm')).toMatchObject({ version: '0.16.1', models: ['Qwen/Qwen3-8B'], fingerprint: '1:vllm:uvicorn' });
    expect(of('tabbyapi')).toMatchObject({ state: 'auth', reason: expect.stringContaining('api_key') });
    expect(of('triton')).toMatchObject({ state: 'skipped', reason: 'it has no chat completions' });
  });
});

describe('what is no runtime, each alone', () => {
  it.each([
    ['an Ollama whose engine field is of another case', 'impostor', 'another engine'],
    ['200 and an error for everything, as LM Studio has it', 'impostor', 'no list of models (application/json)'],
    [
      'a web server with /v1/models as a page',
      'skipped',
      'it is not a model server: GET /v1/models is a page (text/html)',
    ],
    ['a website', 'skipped', 'it is not a model server: GET /v1/models has status 404'],
    [
      'a website of one page, at every path',
      'skipped',
      'it is not a model server: GET /v1/models is a page (text/html)',
    ],
    ['nothing, with 200, for everything', 'skipped', 'it is not a model server'],
    ['a list of models for everything', 'impostor', 'the same answer to every path'],
    ['a port that accepts and says nothing', 'skipped', 'not answered in time'],
    ['a list of models in a body without an end', 'skipped', 'longer than 524288 bytes'],
    ['a list that is cut off', 'skipped', 'not answered in whole HTTP'],
    ['a redirect to a list', 'skipped', 'redirects are not followed'],
  ])('%s is %s', async (name, state, reason) => {
    await using served = await (impostors[name] ?? expect.fail(name))();
    const limits = name.includes('says nothing') ? { limits: QUICK } : {};
    expect(await findingOf(served, limits)).toMatchObject({ state, reason: expect.stringContaining(reason) });
  });
});

describe('a runtime that was approved', () => {
  it.each(['a website', 'a website of one page, at every path', 'a list of models for everything'])(
    'gets no prompt once %s listens there, which is found without one',
    async (name) => {
      await using served = await (impostors[name] ?? expect.fail(name))();
      const config = {
        id: 'a',
        kind: 'ollama',
        baseUrl: served.url,
        fingerprint: '1:ollama:-',
      } as unknown as RuntimeConfig;
      expect(await verifyRuntime(config, systemClock)).toMatchObject({
        isHealthy: false,
        trouble: 'fingerprint_changed',
      });
    },
  );
});

describe('a runtime with a key', () => {
  it.each<[RuntimeKindName, Record<string, unknown>]>([
    ['llama.cpp', { '/props': 'Invalid API Key' }],
    ['localai', { '/v1/models': 'Unauthorized' }],
    ['koboldcpp', { '/v1/models': 'Unauthorized' }],
    ['llama-cpp-python', { '/v1/models': 'Invalid API key' }],
    ['lm-studio', { '/v1/models': 'An LM Studio API token is required' }],
    ['openai-compatible', { '/v1/models': 'Unauthorized' }],
  ])('%s is known and waits for it', async (name, locked) => {
    const pages = Object.fromEntries(
      Object.entries(locked).map(([path, error]) => [path, { isPage: true, status: 401, body: { error } }]),
    );
    const imitation = imitations[name];
    await using served = await serveImitation({ ...imitation, pages: { ...imitation.pages, ...pages } });
    expect(await findingOf(served)).toMatchObject({ kind: name, state: 'auth' });
  });
});
