import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkHostedConfig, HostedFile, parseHostedConfig, watchHostedConfig } from '../../src/hosted/config/index.js';
import { Compile } from '../../src/schema/index.js';

const example = readFileSync('deploy/hosted.example.yaml', 'utf8');

/** The problems of a file of one line more than the smallest. */
const problemsOf = (lines: string): readonly string[] =>
  checkHostedConfig(`secret: { env: S }\n${lines}`).problems.map(({ line, message }) => `${line}: ${message}`);

/** Every field of a schema, as a path. */
function fieldsOf(schema: unknown, path = ''): string[] {
  const {
    properties = {},
    items,
    anyOf = [],
  } = schema as {
    readonly properties?: Readonly<Record<string, unknown>>;
    readonly items?: unknown;
    readonly anyOf?: readonly unknown[];
  };
  const own = Object.entries(properties).flatMap(([name, field]) => {
    const at = path === '' ? name : `${path}.${name}`;
    return [at, ...fieldsOf(field, at)];
  });
  return [
    ...own,
    ...(items === undefined ? [] : fieldsOf(items, path)),
    ...anyOf.flatMap((one) => fieldsOf(one, path)),
  ];
}

/** Every field that a value has. */
function fieldsIn(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => fieldsIn(item, path));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => {
    const at = path === '' ? name : `${path}.${name}`;
    return [at, ...fieldsIn(item, at)];
  });
}

describe('hosted.yaml', () => {
  it('of the example has every field, and can be used', () => {
    const { file, problems, warnings } = checkHostedConfig(example);
    expect([problems, warnings]).toEqual([[], []]);
    const had = new Set(fieldsIn(file));
    // A secret is one of two.
    const wanted = fieldsOf(HostedFile).filter((field) => !/\.(?:env|file)$|^secret\.|\.url$/.test(field));
    expect(wanted.filter((field) => !had.has(field))).toEqual([]);
    expect(Compile(HostedFile).Check(file)).toBe(true);
  });

  it('of one line has defaults that can be used', () => {
    const { config } = parseHostedConfig('secret: { file: ./s }', '/etc/x/hosted.yaml');
    expect(config).toMatchObject({
      listen: { host: '127.0.0.1', port: 9470, transport: 'auto' },
      dataDir: '/etc/x/hosted-data',
      secret: { from: 'file', path: '/etc/x/s' },
      database: { kind: 'sqlite' },
      basePaths: [''],
      operator: undefined,
    });
  });

  it.each([
    ['nonsense: 1', /^2: nonsense is not a field of hosted\.yaml/],
    ['provider: []', /Did you mean providers\?$/],
    ['listen: 1.2.3.4:5', /^2: listen is a?.*; it must be a map/],
    ['listen: { host: example.com }', /listen\.host is "example\.com", which is no address/],
    ['limits: { drain_s: 30s }', /limits\.drain_s is "30s".*; write 30$/],
    ['providers: [{ id: a, base_url: ftp://x }]', /providers\[0\]\.base_url is not an http or https URL/],
    [
      'providers: [{ id: a, base_url: https://u:p@x }]',
      /has a user or a password in it; take them out and use credential/,
    ],
    ['providers: [{ id: a, base_url: https://x/v1 }]', /ends with \/v1, which its paths begin with/],
    ['providers: [{ id: a, base_url: http://169.254.169.254 }]', /where clouds keep their credentials/],
    ['providers: [{ id: v1, base_url: https://x }, { id: b, path: v1, base_url: https://x }]', /providers\[1\]\.path/],
    ['providers: [{ id: a, path: pgw, base_url: https://x }]', /begins with pgw, which the service has itself/],
    [
      'providers: [{ id: a, base_url: https://x }, { id: b, path: a/b, base_url: https://x }]',
      /begins with that of providers\[0\]/,
    ],
    ['providers: [{ id: a, base_url: http://127.0.0.1:9470 }]', /is the address on which the service itself listens/],
    ['providers: [{ id: a, base_url: https://x, paths: [{ path: /v1/models }] }]', /which the service answers itself/],
    ['gateways: { allow_private: [10.0.0.0/33] }', /neither an address nor a range/],
    ['# sk-abcdefghijklmnopqrstuvwxyz', /^2: this field has a secret in plain text/],
    ['database: { postgres: { url: postgres://u:p@h/d } }', /in plain text|it must be \{ env/],
  ])('with the mistake %s is refused with its place', (lines, message) => {
    expect(problemsOf(lines).join('\n')).toMatch(message);
  });

  it('is followed, and says which fields wait for the next start', async () => {
    const home = mkdtempSync(join(tmpdir(), 'hosted-config-'));
    try {
      const path = join(home, 'hosted.yaml');
      writeFileSync(path, 'secret: { env: S }\n');
      await using watcher = await watchHostedConfig(path, { onOutcome: () => {} });
      writeFileSync(path, 'secret: { env: S }\nlisten: { port: 1 }\nlimits: { drain_s: 1 }\n');
      expect(await watcher.reload()).toMatchObject({ state: 'changed', needRestart: ['listen'] });
      writeFileSync(path, 'secret: { env: S }\nlimits: { drain_s: x }\n');
      expect(await watcher.reload()).toMatchObject({ state: 'refused', error: { code: 'hosted_config_invalid' } });
      expect(watcher.inUse.config.limits.drainMs).toBe(1_000);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  });
});
