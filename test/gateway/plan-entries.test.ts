// Entries of gateway.yaml from runtimes that were found: ids without collisions, one model a name, nothing lost.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noveltyOf, planEntries } from '../../src/gateway/index.js';
import {
  editGatewayConfig,
  newGatewayConfig,
  parseGatewayConfig,
  type FoundRuntime,
  type GatewayConfig,
} from '../../src/gateway/index.js';

const EMPTY = newGatewayConfig({ gatewayId: 'gw_a' }, 'x');

function runtime(
  port: number,
  models: readonly string[] | undefined,
  kind: FoundRuntime['kind'] = 'ollama',
): FoundRuntime {
  const base = { url: `http://127.0.0.1:${port}`, kind, proof: 'it is', fingerprint: `1:${kind}:-` };
  return models === undefined ? { ...base, state: 'auth' } : { ...base, models, state: 'found' };
}

/** The file after the approval of `found`. */
function take(found: readonly FoundRuntime[], text = EMPTY): { text: string; config: GatewayConfig } {
  const { config } = parseGatewayConfig(text, 'x');
  const written = editGatewayConfig(text, planEntries(found, config).edits, 'x');
  return { text: written, config: parseGatewayConfig(written, 'x').config };
}

const targetsOf = (config: GatewayConfig): Record<string, string[]> =>
  Object.fromEntries(
    config.models.map(({ id, targets }) => [id, targets.map(({ runtimeId, model }) => `${runtimeId} ${model}`)]),
  );

describe('a plan', () => {
  it('makes one model of a name that several runtimes have, and numbers runtimes of one kind', () => {
    const { config } = take([runtime(1, ['a', 'b']), runtime(2, ['b']), runtime(3, undefined, 'tabbyapi')]);
    expect(config.runtimes.map(({ id }) => id)).toEqual(['ollama', 'ollama-2', 'tabbyapi']);
    expect(targetsOf(config)).toEqual({ a: ['ollama a'], b: ['ollama b', 'ollama-2 b'] });
  });

  it('makes ids of names that are none, and none of them takes that of another model', () => {
    const { config } = take([runtime(1, ['a b', 'ä', '* *', 'a*b']), runtime(2, ['a-b', 'a b'])]);
    expect(targetsOf(config)).toEqual({
      'a-b': ['ollama-2 a-b'],
      'a-b-2': ['ollama a b', 'ollama-2 a b'],
      model: ['ollama ä'],
      'model-2': ['ollama * *'],
      'a-b-3': ['ollama a*b'],
    });
  });

  it('names a model that a server calls by the path of its file by that file', () => {
    const { config } = take([runtime(1, ['/models/a/gemma-3.Q4_K_M.gguf', 'C:\\m\\b.GGUF', '/', 'org/name.gguf'])]);
    expect(targetsOf(config)).toEqual({
      'org/name.gguf': ['ollama org/name.gguf'],
      'gemma-3.Q4_K_M': ['ollama /models/a/gemma-3.Q4_K_M.gguf'],
      b: ['ollama C:\\m\\b.GGUF'],
      '/': ['ollama /'],
    });
  });

  it('adds to a file and changes nothing else of it', () => {
    const text = `gateway_id: gw_a # mine
runtimes:
  # by hand
  - { id: gpu, kind: vllm, base_url: http://localhost:1/ } # no fingerprint
models:
  - id: chat # renamed
    targets:
      # first
      - { runtime: gpu, model: a, weight: 3 } # heavy
      - { runtime: gpu, model: old, order: 2 }
`;
    const { config } = parseGatewayConfig(text, 'x');
    const [gpu, other] = [runtime(1, ['a', 'c'], 'vllm'), runtime(2, ['a', 'chat'])];
    expect([noveltyOf(gpu, config), noveltyOf(other, config)]).toEqual(['known', 'new']);
    const written = take([gpu, other], text);
    expect(targetsOf(written.config)).toEqual({
      chat: ['gpu a', 'gpu old', 'ollama a', 'ollama chat'],
      c: ['gpu c'],
    });
    for (const line of text.split('\n')) expect(written.text).toContain(line);
  });

  it('writes kind and fingerprint of a runtime anew that proved to be another one', () => {
    const before = take([runtime(1, ['a'])]);
    const now = runtime(1, ['b'], 'vllm');
    expect(noveltyOf(now, before.config)).toBe('changed');
    const { config } = take([now], before.text);
    expect(config.runtimes).toMatchObject([{ id: 'ollama', kind: 'vllm', fingerprint: '1:vllm:-' }]);
    expect(Object.keys(targetsOf(config))).toEqual(['a', 'b']);
  });

  it('leaves out what a file has no room for, and says how much', () => {
    const names = (from: number, count: number): string[] => Array.from({ length: count }, (_, i) => `m${from + i}`);
    const many = planEntries([runtime(1, names(0, 4096)), runtime(2, names(4000, 200))]);
    expect(many.models).toHaveLength(4096);
    expect(many.numLeftOut).toBe(104);
    const crowded = planEntries(Array.from({ length: 1030 }, (_, i) => runtime(i + 1, ['same'])));
    expect(crowded.runtimes).toHaveLength(1024);
    expect(crowded.numLeftOut).toBe(6 * 2 + (1024 - 64));
  });

  it('never makes a file that is too large to be read, however long the names and however many the runtimes', () => {
    const names = (from: number, length: number): string[] =>
      Array.from({ length: 4096 }, (_, i) => `${from + i}`.padEnd(length, 'ö'));
    const long = take([runtime(1, names(0, 256))]);
    expect(long.config.models.length).toBeGreaterThan(400);
    const shared = Array.from({ length: 40 }, (_, i) => runtime(i + 1, names(0, 6)));
    const { models } = take(shared).config;
    expect(models).toHaveLength(4096);
    expect(planEntries(shared).numLeftOut).toBe(40 * 4096 - models.flatMap(({ targets }) => targets).length);
  });

  it('of anything that may be found is a file that can be used, has every model, and is the same when taken again', () => {
    const name = fc.oneof(
      fc.constantFrom(
        'a',
        'a b',
        'a-b',
        'a*b',
        'a-b-2',
        '-',
        ' ',
        'model',
        'ä',
        "it's",
        '/m/x.gguf',
        'x:7b',
        '1',
        'null',
      ),
      fc
        .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
        .filter((text) => /^[^\p{C}\p{Zl}\p{Zp}]+$/u.test(text)),
    );
    const found = fc.array(
      fc.record({
        port: fc.integer({ min: 1, max: 9 }),
        kind: fc.constantFrom('ollama', 'vllm', 'llama.cpp'),
        models: fc.option(fc.uniqueArray(name, { maxLength: 6 }), { nil: undefined }),
      }),
      { maxLength: 5 },
    );
    const toRuntimes = (each: ReturnType<typeof found.generate>['value']): FoundRuntime[] => [
      ...new Map(each.map(({ port, models, kind }) => [port, runtime(port, models, kind)])).values(),
    ];
    const property = fc.property(found, found, (first, second) => {
      let text = EMPTY;
      for (const runtimes of [toRuntimes(first), toRuntimes(second)]) {
        const before = parseGatewayConfig(text, 'x').config;
        const after = take(runtimes, text);
        expect(after.config.models.slice(0, before.models.length).map(({ id }) => id)).toEqual(
          before.models.map(({ id }) => id),
        );
        const served = Object.values(targetsOf(after.config)).flat();
        expect(new Set(served).size).toBe(served.length);
        for (const { url, models = [] } of runtimes) {
          const id = after.config.runtimes.find(({ baseUrl }) => baseUrl === url)?.id;
          for (const model of models) expect(served).toContain(`${id} ${model}`);
        }
        expect(planEntries(runtimes, after.config).edits).toEqual([]);
        text = after.text;
      }
    });
    fc.assert(property, { numRuns: 150 });
  });
});
