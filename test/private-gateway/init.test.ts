// `private-gateway init` as a process: what it prints, asks, writes and leaves alone.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseGatewayConfig } from '../../src/gateway/index.js';
import { ended, hasPty, openScreen, startCli } from '../e2e/processes.js';
import { imitations } from '../gateway/imitations/index.js';
import { impostors } from '../gateway/imitations/impostors.js';
import { modelList } from '../gateway/imitations/pages.js';
import { endAll } from '../gateway/imitations/scanning.js';
import { serveImitation, serveTcp, type Served } from '../gateway/imitations/serve.js';
import { createFolder, ENTRY, scanArgs, withoutProgress, withWords, type Folder } from './gateway-processes.js';

const folders: Folder[] = [];
const newFolder = (): Folder => {
  const folder = createFolder();
  folders.push(folder);
  return folder;
};
const served: Served[] = [];
let [ollama, vllm, tabby, fake] = [0, 0, 0, 0];
beforeAll(async () => {
  const more = { ...imitations.vllm, pages: { ...imitations.vllm.pages } };
  more.pages['/v1/models'] = modelList(
    ...['llama3:8b', 'big'].map((id) => ({ id, owned_by: 'vllm', max_model_len: 1, permission: [] })),
  );
  for (const imitation of [imitations.ollama, more, imitations.tabbyapi]) served.push(await serveImitation(imitation));
  const [impostor] = Object.values(impostors);
  if (impostor !== undefined) served.push(await impostor());
  [ollama = 0, vllm = 0, tabby = 0, fake = 0] = served.map(({ port }) => port);
});
afterAll(async () => {
  await endAll(served);
  for (const folder of folders) folder.remove();
});
const configOf = (folder: Folder, name = 'g.yaml') => parseGatewayConfig(folder.read(name), name).config;

describe('init on a pipe', () => {
  it('says what was scanned, found, skipped and why, and writes what check accepts', async () => {
    const folder = newFolder();
    const { code, stdout, stderr } = await folder.run(
      'init',
      '-config',
      'g.yaml',
      '--yes',
      ...scanArgs([ollama, fake]),
    );
    expect({ code, stderr: withoutProgress(stderr) }).toEqual({ code: 0, stderr: '' });
    const words = withWords(stdout, { OLLAMA: ollama, FAKE: fake });
    expect(words.replace(/ports .*/, 'ports …')).toBe(`Scanned 127.0.0.1, 2 ports …

Found 1 runtime:
  http://127.0.0.1:OLLAMA  Ollama
    version 0.14.2
    1 model: llama3:8b
    GET / says Ollama is running, and GET /api/tags has models

Refused 1 impostor:
  http://127.0.0.1:FAKE
    GET /api/version has the engine field of another engine, which no known
    runtime has

2 endpoints tried: 1 found, 1 refused as impostors.

Wrote g.yaml: 1 runtime, 1 model, 1 key.

The key for your clients, which is shown only now:

  KEY

Start the gateway, and ask it:

  private-gateway serve --config g.yaml
  curl http://127.0.0.1:9440/v1/chat/completions -H 'Authorization: Bearer KEY' -H 'Content-Type: application/json' -d '{"model":"llama3:8b","messages":[{"role":"user","content":"Hello"}]}'
`);
    const [key = ''] = /gwk_\w+/.exec(stdout) ?? [];
    const text = folder.read('g.yaml');
    expect(text).not.toContain(key);
    expect(text).toContain(createHash('sha256').update(key).digest('hex'));
    expect(configOf(folder)).toMatchObject({
      gatewayId: expect.stringMatching(/^gw_[0-9a-f]{32}$/),
      runtimes: [{ id: 'ollama', kind: 'ollama', fingerprint: '1:ollama:-' }],
      models: [{ id: 'llama3:8b', targets: [{ runtimeId: 'ollama', model: 'llama3:8b' }] }],
      virtualKeys: [{ name: 'default', prefix: key.slice(0, 10), models: null }],
    });
    expect(folder.mode('g.yaml')).toBe('600');
    expect(Object.keys(folder.snapshot())).toHaveLength(1);
    expect((await folder.run('check', '-config', 'g.yaml')).code).toBe(0);
  });

  it('as JSON is one object with the key, and the curl line has it too', async () => {
    const folder = newFolder();
    const args = ['--yes', '--json', ...scanArgs([ollama, tabby, vllm])];
    const { code, stdout, stderr } = await folder.run('init', '--config=g.yaml', ...args);
    expect({ code, stderr: withoutProgress(stderr) }).toEqual({ code: 0, stderr: '' });
    const said = JSON.parse(stdout);
    expect(said).toMatchObject({
      config: 'g.yaml',
      outcome: 'created',
      scan: { range: '127.0.0.1', endpoints: 3, tried: 3, found: 2, auth: 1 },
      not_approved: 0,
      left_out: 0,
      virtual_key: { name: 'default', key: expect.stringMatching(/^gwk_/) },
    });
    expect(said.runtimes.toSorted()).toEqual(['ollama', 'tabbyapi', 'vllm']);
    expect(said.models.toSorted()).toEqual(['big', 'llama3:8b']);
    expect(said.findings).toHaveLength(3);
    expect(said.curl).toContain(said.virtual_key.key);
    expect(configOf(folder).models.find(({ id }) => id === 'llama3:8b')?.targets).toHaveLength(2);
  });

  it('without --yes writes no runtime, since nobody could say yes, and says how', async () => {
    const folder = newFolder();
    const { code, stdout } = await folder.run('init', '-config', 'g.yaml', ...scanArgs([ollama]));
    expect(code).toBe(0);
    expect(withWords(stdout, { OLLAMA: ollama })).toContain(`
1 runtime found and not written: no question was asked, since there is no
terminal. To write all that are found:
  private-gateway init --config g.yaml --force --cidr 127.0.0.1 --ports OLLAMA --timeout 30 --yes
`);
    expect(configOf(folder)).toMatchObject({ runtimes: [], models: [], virtualKeys: [{ name: 'default' }] });
    const again = await folder.run('init', '-config', 'g2.yaml', '--json', ...scanArgs([ollama]));
    expect(JSON.parse(again.stdout)).toMatchObject({ not_approved: 1, runtimes: [], models: [] });
    expect(again.stderr).toBe('warning: 1 runtime found and not written; --yes writes all\n');
  });

  it('says of a runtime that asks for a key what is left to do', async () => {
    const folder = newFolder();
    const { stdout } = await folder.run('init', '-config', 'g.yaml', '--yes', ...scanArgs([tabby]));
    expect(stdout).toContain('tabbyapi asks for a key: set its api_key in g.yaml, and list its models there.');
    expect(stdout).toContain('curl http://127.0.0.1:9440/v1/models -H');
  });

  it('that finds nothing is a success with a hint and a file that is valid', async () => {
    const folder = newFolder();
    const gone = await serveImitation(imitations.ollama);
    await gone[Symbol.asyncDispose]();
    const { code, stdout } = await folder.run('init', '-config', 'g.yaml', ...scanArgs([gone.port]));
    expect(code).toBe(0);
    expect(stdout).toContain('No runtime was found. A scan knows native engine, LocalAI,');
    expect(stdout).toContain('  private-gateway init --config g.yaml --force --cidr 127.0.0.1 --ports');
    expect(stdout).toContain('--cidr 192.168.1.0/24');
    expect(stdout).toContain('Wrote g.yaml: 0 runtimes, 0 models, 1 key.');
    const checked = await folder.run('check', '-config', 'g.yaml', '--json');
    expect(JSON.parse(checked.stdout)).toMatchObject({ valid: true, serves: { models: [] } });
  });

  it('is refused where a file is, which is neither read nor touched, and nothing is scanned', async () => {
    const folder = newFolder();
    writeFileSync(join(folder.path, 'g.yaml'), 'not: [yaml');
    const before = folder.snapshot();
    const numBefore = served[0]?.numConnections();
    const { code, stdout, stderr } = await folder.run('init', '-config', 'g.yaml', '--yes', ...scanArgs([ollama]));
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toMatch(
      /^error: g\.yaml is there already and was not touched; .*--force.*\ncode: gateway_config_exists\n$/,
    );
    expect(folder.snapshot()).toEqual(before);
    expect(served[0]?.numConnections()).toBe(numBefore);
  });
});

describe('init --force', () => {
  it('keeps id, keys and comments, adds what is new, and leaves the text before beside it', async () => {
    const folder = newFolder();
    await folder.run('init', '-config', 'g.yaml', '--yes', ...scanArgs([ollama]));
    const before = folder.read('g.yaml').replace('virtual_keys:', '# my keys\nvirtual_keys:');
    writeFileSync(join(folder.path, 'g.yaml'), before);
    const first = configOf(folder);
    const { code, stdout } = await folder.run(
      'init',
      '-config',
      'g.yaml',
      '--force',
      '--yes',
      ...scanArgs([ollama, vllm]),
    );
    expect(code).toBe(0);
    expect(withWords(stdout, {}, folder).replaceAll('\n', ' ')).toContain(
      'Wrote g.yaml: 1 runtime and 2 models were added or changed. The text before is in FOLDER/g.yaml.bak-TIME. Its 1 key and its gateway id are as they were.',
    );
    expect(stdout).not.toContain('gwk_');
    const now = configOf(folder);
    expect({ id: now.gatewayId, keys: now.virtualKeys }).toEqual({ id: first.gatewayId, keys: first.virtualKeys });
    expect(now.runtimes.map(({ id }) => id)).toEqual(['ollama', 'vllm']);
    expect(now.models.map(({ id, targets }) => [id, targets.length])).toEqual([
      ['llama3:8b', 2],
      ['big', 1],
    ]);
    for (const line of before.split('\n')) expect(folder.read('g.yaml')).toContain(line);
    const backup = readdirSync(folder.path).find((name) => /^g\.yaml\.bak-\d{8}T\d{6}Z$/.test(name)) ?? '';
    expect(folder.read(backup)).toBe(before);
    expect([folder.mode('g.yaml'), folder.mode(backup)]).toEqual(['600', '600']);

    const files = folder.snapshot();
    const again = await folder.run('init', '-config', 'g.yaml', '--force', ...scanArgs([ollama, vllm]));
    expect(again.stdout).toContain('Nothing is new: g.yaml was not changed.');
    expect(folder.snapshot()).toEqual(files);
  });

  it('shows the lines that change before it says that it wrote them, also as JSON', async () => {
    const folder = newFolder();
    const text = 'gateway_id: gw_mine\nlisten: 127.0.0.1:9555 # mine\n';
    for (const name of ['g.yaml', 'h.yaml']) writeFileSync(join(folder.path, name), text);
    const { code, stdout } = await folder.run('init', '-config', 'g.yaml', '--force', '--yes', ...scanArgs([ollama]));
    expect(code).toBe(0);
    const now = folder.read('g.yaml').split('\n').slice(0, -1);
    const added = now.map((line, i) => `  +${String(i + 1).padStart(2)}  ${line}`).slice(2);
    expect(now.slice(0, 2).join('\n')).toBe(text.trimEnd());
    expect(stdout).toContain(`
Lines of g.yaml: ${added.length} added, 0 removed.

${added.join('\n')}

`);
    expect(stdout.indexOf('Lines of g.yaml')).toBeLessThan(stdout.indexOf('Wrote g.yaml'));
    const args = ['--force', '--yes', '--json', ...scanArgs([ollama])];
    const { diff, outcome } = JSON.parse((await folder.run('init', '-config', 'h.yaml', ...args)).stdout);
    expect(outcome).toBe('updated');
    expect(diff).toHaveLength(added.length);
    expect(diff.join('\n')).toContain(`base_url: http://127.0.0.1:${ollama}`);
    const again = JSON.parse((await folder.run('init', '-config', 'h.yaml', ...args)).stdout);
    expect(again).toMatchObject({ outcome: 'unchanged' });
    expect(again).not.toHaveProperty('diff');
  });

  it('makes a key where the file has none, for the address that it listens on', async () => {
    const folder = newFolder();
    writeFileSync(join(folder.path, 'g.yaml'), "gateway_id: gw_mine\nlisten: '[::]:9555'\n");
    const { code, stdout } = await folder.run('init', '-config', 'g.yaml', '--force', '--yes', ...scanArgs([ollama]));
    expect(code).toBe(0);
    expect(stdout).toContain("curl http://[::1]:9555/v1/chat/completions -H 'Authorization: Bearer gwk_");
    expect(configOf(folder)).toMatchObject({ gatewayId: 'gw_mine', virtualKeys: [{ name: 'default' }] });
  });

  it('does not look at the address that the gateway listens on', async () => {
    const folder = newFolder();
    writeFileSync(join(folder.path, 'g.yaml'), `gateway_id: gw_mine\nlisten: 127.0.0.1:${ollama}\n`);
    const numBefore = served[0]?.numConnections();
    const { stdout } = await folder.run('init', '-config', 'g.yaml', '--force', '--json', ...scanArgs([ollama]));
    expect(JSON.parse(stdout)).toMatchObject({ scan: { endpoints: 0, excluded: 1 }, findings: [] });
    expect(served[0]?.numConnections()).toBe(numBefore);
  });

  it('asks again for a runtime that is another one than was approved', async () => {
    const folder = newFolder();
    const runtime = `{ id: mine, kind: vllm, base_url: http://127.0.0.1:${ollama}, fingerprint: 1:vllm:uvicorn }`;
    writeFileSync(join(folder.path, 'g.yaml'), `gateway_id: gw_mine\nruntimes:\n  - ${runtime}\n`);
    const refused = await folder.run('init', '-config', 'g.yaml', '--force', '--json', ...scanArgs([ollama]));
    expect(JSON.parse(refused.stdout)).toMatchObject({ not_approved: 1, runtimes: [], models: [] });
    await folder.run('init', '-config', 'g.yaml', '--force', '--yes', ...scanArgs([ollama]));
    expect(configOf(folder).runtimes).toMatchObject([{ id: 'mine', kind: 'ollama', fingerprint: '1:ollama:-' }]);
  });

  it('of a file with a mistake is refused with its place, and the file stays', async () => {
    const folder = newFolder();
    writeFileSync(join(folder.path, 'g.yaml'), 'gateway_id: gw_mine\nlisen: 127.0.0.1:1\n');
    const before = folder.snapshot();
    const { code, stderr } = await folder.run('init', '-config', 'g.yaml', '--force', '--yes', ...scanArgs([ollama]));
    expect(code).toBe(3);
    expect(stderr).toContain('g.yaml:2:1: ');
    expect(stderr).toContain('Did you mean listen?');
    expect(folder.snapshot()).toEqual(before);
  });

  it('where no file is yet writes one', async () => {
    const folder = newFolder();
    const { stdout } = await folder.run('init', '-config', 'g.yaml', '--force', '--yes', ...scanArgs([ollama]));
    expect(stdout).toContain('Wrote g.yaml: 1 runtime, 1 model, 1 key.');
  });
});

it('Ctrl-C during a scan ends it at once, with nothing written', async () => {
  const folder = newFolder();
  const silent = await serveTcp(() => {});
  served.push(silent);
  const child = startCli(['init', '-config', 'g.yaml', ...scanArgs([silent.port], '60')], folder.path, {
    entry: ENTRY,
    cwd: folder.path,
  });
  let said = '';
  child.stderr?.on('data', (piece) => (said += String(piece)));
  // The first line of progress: the scan is under way.
  while (!said.includes('scanning')) await once(child.stderr ?? child, 'data');
  child.kill('SIGINT');
  expect(await ended(child)).toBe(130);
  expect(said).toBe('scanning 127.0.0.1: 0 of 1 endpoints, 0 found\ninterrupted: nothing was written\n');
  expect(folder.snapshot()).toEqual({});
});

// Node has no call for a pseudo-terminal, so these need Python.
describe.skipIf(!hasPty)('init on a terminal (skipped without python3, which opens it)', () => {
  const open = (folder: Folder, ports: readonly number[], timeout?: string) =>
    openScreen(['init', '-config', 'g.yaml', ...scanArgs(ports, timeout)], folder.path, {
      entry: ENTRY,
      cwd: folder.path,
      env: { NO_COLOR: '1' },
    });

  it('shows a bar while a server takes its time, and takes it away', async () => {
    const folder = newFolder();
    const silent = await serveTcp(() => {});
    served.push(silent);
    const screen = open(folder, [ollama, silent.port], '3');
    await screen.see('scanning 127.0.0.1: [==========          ] 1 of 2 endpoints, 1 found');
    await screen.see('\x1b[KScanned 127.0.0.1');
    await screen.see('was not answered in time');
    await screen.see(`Write Ollama at http://127.0.0.1:${ollama} into the file? [y/N] `);
    screen.type('y\r');
    await screen.see('Wrote g.yaml: 1 runtime, 1 model, 1 key.');
    expect(await screen.end()).toBe(0);
    // Besides the line that is taken away there is no escape sequence.
    expect(screen.text().replaceAll('\x1b[K', '')).not.toContain('\x1b');
  });

  it.each([
    ['y', ['ollama', 'vllm']],
    ['YES', ['ollama', 'vllm']],
    ['', []],
    ['n', []],
    ['what', []],
  ])('%j is an answer for all', async (answer, ids) => {
    const folder = newFolder();
    const screen = open(folder, [ollama, vllm]);
    await screen.see('Write these 2 runtimes into the file? y: all, e: each is asked for, n: none [y/e/N] ');
    screen.type(`${answer}\r`);
    await screen.see('Wrote g.yaml');
    expect(await screen.end()).toBe(0);
    expect(
      configOf(folder)
        .runtimes.map(({ id }) => id)
        .toSorted(),
    ).toEqual(ids);
    if (ids.length === 0) expect(screen.text()).toContain('2 runtimes found and not written: you did not say yes.');
  });

  it('asks for each, and takes those that get a yes', async () => {
    const folder = newFolder();
    const screen = open(folder, [ollama, vllm]);
    await screen.see('[y/e/N] ');
    screen.type('e\r');
    for (const _ of [1, 2]) {
      await screen.see('? [y/N] ');
      screen.type(/ {2}Ollama at [^\n]*\? \[y\/N\] $/.test(screen.text()) ? 'y\r' : 'n\r');
    }
    await screen.see('Wrote g.yaml: 1 runtime, 1 model, 1 key.');
    expect(await screen.end()).toBe(0);
    expect(configOf(folder).runtimes).toMatchObject([{ kind: 'ollama' }]);
  });

  it('shows the lines of a file that exists, and writes them for a yes alone', async () => {
    const folder = newFolder();
    writeFileSync(join(folder.path, 'g.yaml'), 'gateway_id: gw_mine\n');
    const before = folder.snapshot();
    const again = async () => {
      const screen = openScreen(['init', '-config', 'g.yaml', '--force', ...scanArgs([ollama])], folder.path, {
        entry: ENTRY,
        cwd: folder.path,
        env: { NO_COLOR: '1' },
      });
      await screen.see('into the file? [y/N] ');
      screen.type('y\r');
      await screen.see(`base_url: http://127.0.0.1:${ollama}`);
      await screen.see('Write these lines into g.yaml? [y/N] ');
      return screen;
    };
    const no = await again();
    no.type('n\r');
    await no.see('Nothing was written, since you did not say yes: g.yaml is as it was.');
    expect([await no.end(), /gwk_\w{20}/.test(no.text()), folder.snapshot()]).toEqual([0, false, before]);
    const interrupted = await again();
    interrupted.type('\x03');
    await interrupted.see('interrupted: nothing was written');
    expect([await interrupted.end(), folder.snapshot()]).toEqual([130, before]);
    const yes = await again();
    yes.type('y\r');
    await yes.see('Wrote g.yaml: 1 runtime and 1 model were added or changed.');
    expect(await yes.end()).toBe(0);
    expect(configOf(folder)).toMatchObject({ gatewayId: 'gw_mine', runtimes: [{ kind: 'ollama' }] });
  });

  it('Ctrl-C at the question writes nothing, and Ctrl-D is a no', async () => {
    const folder = newFolder();
    const screen = open(folder, [ollama]);
    await screen.see('[y/N] ');
    screen.type('\x03');
    await screen.see('interrupted: nothing was written');
    expect(await screen.end()).toBe(130);
    expect(folder.snapshot()).toEqual({});
    const next = open(folder, [ollama]);
    await next.see('[y/N] ');
    next.type('\x04');
    await next.see('Wrote g.yaml: 0 runtimes, 0 models, 1 key.');
    expect(await next.end()).toBe(0);
  });
});
