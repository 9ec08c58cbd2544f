import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkGatewayConfig, matchesModel, parseGatewayConfig } from '../../src/gateway/index.js';
import { toExitCode } from '../../src/cli/exit-codes.js';
import { codeTables } from '../../src/bin/private-gateway/codes.js';
import { readWrongFiles } from './wrong-config-files.js';
import { expectWithin } from '../support/elapsed.js';

const HASH = '0123456789abcdef'.repeat(4);
const wrongFiles = readWrongFiles();

/** The error that reading `text` ends with. */
function errorOf(text: string): Error & { readonly code?: string } {
  try {
    parseGatewayConfig(text, 'gateway.yaml');
  } catch (error) {
    return error as Error;
  }
  throw new Error('the file was read');
}

describe('a wrong gateway.yaml', () => {
  it('is one of at least 60', () => {
    expect(wrongFiles.length).toBeGreaterThanOrEqual(60);
  });

  it.each(wrongFiles)(
    '$name: is refused with every mistake, its line, its column and what to do',
    ({ text, message }) => {
      const error = errorOf(text);
      expect(error.message).toBe(message);
      expect(error.code).toBe('gateway_config_invalid');
    },
  );

  it('ends a command with status 3', () => {
    expect(toExitCode('gateway_config_invalid', codeTables)).toBe(3);
  });

  it('never has a secret in its message', () => {
    const messages = wrongFiles.map(({ text }) => errorOf(text).message).join('\n');
    expect(messages).not.toMatch(/hunter2|gw[ka]_\w{6}_\w{20}|0123456789abcdef/);
  });

  it('has its first place and field as data', () => {
    expect(errorOf('gateway_id: gw_a1\nlisten: x\n')).toMatchObject({
      details: { path: 'gateway.yaml', mistakes: 1, line: 2, column: 9, field: 'listen' },
    });
  });

  it('has at most 50 of its mistakes in the message, and all as data', () => {
    const text = `gateway_id: gw_a1\npassthrough:\n${'  - no\n'.repeat(60)}`;
    expect(errorOf(text).message.split('\n')).toHaveLength(52);
    expect(errorOf(text).message).toMatch(/… and 10 more$/);
    expect(checkGatewayConfig(text).problems).toHaveLength(60);
  });

  it('has the right lines and columns behind CRLF, a byte order mark and wide characters', () => {
    expect(errorOf('\ufeffgateway_id: gw_a1\r\n# \u{1f600}\r\nlisten: x\r\n').message).toMatch(
      /gateway.yaml:3:9: listen/,
    );
  });
});

describe('limits of what is read', () => {
  it.each([
    ['brackets', '['.repeat(1_000_000)],
    ['braces', '{'.repeat(1_000_000)],
    ['keys within keys', '? '.repeat(500_000)],
    ['lists within lists', '- '.repeat(500_000)],
    ['commas', `[${','.repeat(1_000_000)}`],
    ['aliases', `a: &a [${'*a,'.repeat(300_000)}]`],
    ['quotes', `'`.repeat(1_000_001)],
    ['indentation', Array.from({ length: 1400 }, (_, i) => `${' '.repeat(i)}a:`).join('\n')],
    ['anchors', Array.from({ length: 60_000 }, (_, i) => `- &a${i} 1`).join('\n')],
    ['comments', '#\n'.repeat(500_000)],
    ['unknown keys', Array.from({ length: 70_000 }, (_, i) => `k${i}: 1`).join('\n')],
    ['too many bytes', '#'.repeat(1_100_000)],
  ])('1 MB of %s are refused within seconds', (_, text) => {
    const start = performance.now();
    expect(errorOf(text)).toMatchObject({ code: 'gateway_config_invalid' });
    expectWithin(20_000, start);
  });

  it('an entry more than a list may have is refused before its entries are read', () => {
    const text = `gateway_id: gw_a1\nmodels:\n${'  - {}\n'.repeat(4097)}`;
    expect(errorOf(text).message).toMatch(/models has 4097 entries; it must be a list of at most 4096 models$/);
  });
});

it('names of keys and targets that nothing has are reported within seconds, however many', () => {
  const models = Array.from(
    { length: 2000 },
    (_, i) => `  - { id: abcdefghij${i}, targets: [{ runtime: zz, model: x }, { runtime: zy, model: x }] }`,
  );
  const names = Array.from({ length: 1000 }, (_, i) => `k${i}*`).join();
  const keys = Array.from({ length: 40 }, (_, i) => {
    const hash = String(i).padStart(64, '0');
    return `  - { id: vk_${i}, name: a, prefix: gwk_${hash.slice(-6)}, hash: ${hash.replace('0', 'a')}, models: [${names}] }`;
  });
  const runtimes = Array.from(
    { length: 1000 },
    (_, i) => `  - { id: runtime${i}, kind: vllm, base_url: 'http://a:1' }`,
  );
  const start = performance.now();
  const text = ['gateway_id: gw_a1', 'runtimes:', ...runtimes, 'models:', ...models, 'virtual_keys:', ...keys].join(
    '\n',
  );
  expect(text.length).toBeLessThan(2 ** 20);
  const { problems, warnings } = checkGatewayConfig(text);
  expectWithin(20_000, start);
  expect(problems.at(-1)?.message).toMatch(/which no runtime has/);
  expect(warnings.at(-1)?.message).toMatch(/which no model has/);
});

describe('a gateway.yaml', () => {
  it('of nothing but an id has every default', () => {
    const { config, warnings } = parseGatewayConfig('gateway_id: gw_a1', '/etc/gateway/gateway.yaml');
    expect(warnings).toEqual([]);
    expect(config).toEqual({
      gatewayId: 'gw_a1',
      listen: { host: '127.0.0.1', port: 9440 },
      dataDir: '/etc/gateway/gateway-data',
      runtimes: [],
      models: [],
      virtualKeys: [],
      passthrough: [],
      translate: true,
      corsOrigins: [],
      admin: { isEnabled: false, host: '127.0.0.1', port: 9465 },
      limits: {
        maxBodyBytes: 33_554_432,
        maxHeaderBytes: 16_384,
        idleStreamMs: 300_000,
        requestMs: 600_000,
        drainMs: 30_000,
      },
      retention: { requestLogDays: 30, auditDays: 365 },
      alerts: { webhooks: [] },
      telemetry: {
        tracesUrl: undefined,
        metricsUrl: undefined,
        headers: undefined,
        serviceName: 'private-gateway',
        sampleRatio: 1,
        metricsIntervalMs: 60_000,
        takesTraceparent: true,
        sendsTraceparent: false,
      },
    });
  });

  it('is read as the example of the repository has it', () => {
    const { config, warnings } = parseGatewayConfig(
      readFileSync('deploy/gateway.example.yaml', 'utf8'),
      '/g/gateway.yaml',
    );
    expect(warnings).toEqual([]);
    expect(config.runtimes.map(({ id, kind, apiKey, metering }) => ({ id, kind, apiKey, metering }))).toEqual([
      { id: 'ollama', kind: 'ollama', apiKey: undefined, metering: 'inject' },
      { id: 'gpu', kind: 'vllm', apiKey: { from: 'env', name: 'GPU_API_KEY' }, metering: 'inject' },
    ]);
    expect(config.models[0]).toEqual({
      id: 'llama3',
      targets: [
        { runtimeId: 'gpu', model: 'meta-llama/Llama-3.1-8B-Instruct', weight: 1, order: 0 },
        { runtimeId: 'ollama', model: 'llama3.1:8b', weight: 1, order: 1 },
      ],
      maxOutputTokens: 4096,
      price: { input_per_million: '0.10', output_per_million: '0.40', currency: 'EUR' },
    });
    expect(config.virtualKeys[0]).toMatchObject({
      id: 'vk_example1',
      models: null,
      expiresAtMs: null,
      limits: {
        requests_per_minute: 60,
        budget: [
          { tokens: 5_000_000, window: 'month' },
          { amount: '20.00', currency: 'EUR', window: 'month' },
        ],
      },
    });
  });

  it('may have one budget without a list, aliases for limits, a secret in a file and a time with a zone', () => {
    const text = `gateway_id: gw_a1
runtimes:
  - { id: a, kind: vllm, base_url: 'http://[::1]:8000/', api_key: { file: secrets/a.key } }
virtual_keys:
  - { id: vk_1, name: a, prefix: gwk_aaaaaa, hash: ${HASH}, models: [], limits: &few { parallel_requests: 2, budget: { tokens: 5, window: day } } }
  - { id: vk_2, name: b, prefix: gwk_bbbbbb, hash: ${HASH.replace('0', '1')}, models: null, expires_at: 2027-01-31T02:00:00+02:00, limits: *few }
`;
    const { config } = parseGatewayConfig(text, '/g/gateway.yaml');
    expect(config.runtimes[0]).toMatchObject({
      baseUrl: 'http://[::1]:8000',
      apiKey: { from: 'file', path: '/g/secrets/a.key' },
    });
    expect(config.virtualKeys[0]?.limits).toEqual({ parallel_requests: 2, budget: { tokens: 5, window: 'day' } });
    expect(config.virtualKeys[1]?.limits).toEqual(config.virtualKeys[0]?.limits);
    expect(config.virtualKeys[1]?.expiresAtMs).toBe(Date.UTC(2027, 0, 31));
  });

  it('that works, but hardly as it was meant, has warnings with their places', () => {
    const text = `gateway_id: gw_a1
runtimes: [{ id: a, kind: ollama, base_url: 'http://127.0.0.1:11434' }]
models:
  - { id: llama3, targets: [{ runtime: a, model: x }] }
  - { id: qwen3, targets: [{ runtime: a, model: y }], price: { input_per_million: '0', output_per_million: '1', currency: EUR } }
virtual_keys:
  - id: vk_1
    name: a
    prefix: gwk_aaaaaa
    hash: ${HASH}
    models: [lama3, qwen*, '*']
    limits: { budget: { amount: '1', currency: EUR, window: day } }
`;
    expect(checkGatewayConfig(text).warnings).toEqual([
      {
        line: 11,
        column: 14,
        field: 'virtual_keys[0].models[0]',
        message: 'virtual_keys[0].models[0] is "lama3", which no model has. Did you mean llama3?',
      },
      {
        line: 12,
        column: 23,
        field: 'virtual_keys[0].limits.budget',
        message: 'virtual_keys[0].limits.budget does not count "llama3", which has no price',
      },
    ]);
  });
});

it('a key may use a model by its whole id, or by its beginning and a star', () => {
  expect(matchesModel('llama3', 'llama3')).toBe(true);
  expect(matchesModel('llama3', 'llama3:8b')).toBe(false);
  expect(matchesModel('llama3*', 'llama3:8b')).toBe(true);
  expect(matchesModel('*', 'anything')).toBe(true);
});
