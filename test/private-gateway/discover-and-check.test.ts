// `private-gateway discover` and `check` as processes: neither writes anything.
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startUpstream } from '../relay/raw-upstream.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ended, startCli } from '../e2e/processes.js';
import { imitations } from '../gateway/imitations/index.js';
import { impostors } from '../gateway/imitations/impostors.js';
import { endAll } from '../gateway/imitations/scanning.js';
import { serveImitation, serveTcp, type Served } from '../gateway/imitations/serve.js';
import { createFolder, ENTRY, scanArgs, withoutProgress, withWords, type Folder } from './gateway-processes.js';

let folder: Folder = createFolder();
const served: Served[] = [];
let ports: Record<string, number> = {};
beforeAll(async () => {
  for (const name of ['ollama', 'tabbyapi', 'triton'] as const) served.push(await serveImitation(imitations[name]));
  const [impostor] = Object.values(impostors);
  if (impostor !== undefined) served.push(await impostor());
  const gone = await serveImitation(imitations.ollama);
  await gone[Symbol.asyncDispose]();
  served.push(gone);
  ports = Object.fromEntries(
    ['OLLAMA', 'TABBY', 'TRITON', 'FAKE', 'GONE'].map((name, i) => [name, served[i]?.port ?? 0]),
  );
});
afterAll(async () => {
  await endAll(served.slice(0, 4));
  folder.remove();
});

describe('discover', () => {
  it('writes a line of JSON for each server, and a last one of counts, and nothing to the disk', async () => {
    const before = folder.snapshot();
    const { code, stdout, stderr } = await folder.run('discover', '--json', ...scanArgs(Object.values(ports)));
    expect({ code, stderr: withoutProgress(stderr) }).toEqual({ code: 0, stderr: '' });
    const lines = withWords(stdout, ports).trimEnd().split('\n');
    expect(lines.at(-1)).toBe(
      '{"range":"127.0.0.1","endpoints":5,"excluded":0,"tried":5,"closed":1,"silent":0,"found":1,"auth":1,"skipped":1,"impostor":1}',
    );
    expect(lines.slice(0, -1).toSorted()).toEqual([
      '{"url":"http://127.0.0.1:FAKE","kind":null,"proof":null,"state":"impostor","reason":"GET /api/version has the engine field of another engine, which no known runtime has"}',
      '{"url":"http://127.0.0.1:OLLAMA","kind":"ollama","proof":"GET / says Ollama is running, and GET /api/tags has models","version":"0.14.2","models":["llama3:8b"],"state":"found","fingerprint":"1:ollama:-"}',
      '{"url":"http://127.0.0.1:TABBY","kind":"tabbyapi","proof":"GET /v1/model asks for a key in words of its own","state":"auth","reason":"it asks for a key: set api_key of this runtime","fingerprint":"1:tabbyapi:uvicorn"}',
      expect.stringMatching(
        /^\{"url":"http:\/\/127\.0\.0\.1:TRITON","kind":"triton",.*"state":"skipped","reason":"it has no chat completions"\}$/,
      ),
    ]);
    expect(folder.snapshot()).toEqual(before);
  });

  it('tells people the same, and what to do where nothing was found', async () => {
    const { code, stdout } = await folder.run('discover', ...scanArgs([ports['TRITON'] ?? 0, ports['GONE'] ?? 0]));
    expect(code).toBe(0);
    expect(withWords(stdout, ports).replace(/ports .*/, 'ports …')).toBe(`Scanned 127.0.0.1, 2 ports …

Skipped 1:
  http://127.0.0.1:TRITON  Triton
    it has no chat completions

2 endpoints tried: 1 skipped, 1 closed.

No runtime was found. A scan knows native engine, LocalAI, KoboldCpp, Docker
Model Runner, Jan, llama.cpp, llama-cpp-python, NVIDIA NIM, SGLang, vLLM, Text
Generation Inference, LM Studio, Lemonade, text-generation-webui, TabbyAPI,
LiteLLM, MLX, Ollama, GPT4All, OpenAI-compatible server.
Start one, for example with \`ollama serve\` or \`npx native-engine serve --http\`,
and scan again:
  private-gateway discover --cidr 127.0.0.1 --ports TRITON,GONE --timeout 30
For servers on other machines or ports, name them with --cidr 192.168.1.0/24 and
--ports 8000,8080.
`);
    expect(folder.snapshot()).toEqual({});
  });

  it('takes a range without its host bits, and refuses one that is too large or public before anything is contacted', async () => {
    const args = ['--ports', String(ports['OLLAMA']), '--timeout', '30', '--json'];
    const { stdout } = await folder.run('discover', '--cidr', '127.0.0.2/30', ...args);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { kind: 'ollama', url: `http://127.0.0.1:${ports['OLLAMA']}` },
      { range: '127.0.0.0/30', endpoints: 2, excluded: 2, found: 1 },
    ]);
    for (const [range, code] of [
      ['127.0.0.0/21', 'scan_range_invalid'],
      ['fd00::/117', 'scan_range_invalid'],
      ['1.1.1.1', 'scan_range_refused'],
      ['224.0.0.1', 'scan_range_refused'],
      ['169.254.169.254', 'scan_range_refused'],
    ]) {
      const refused = await folder.run('discover', '--cidr', range ?? '', ...args);
      expect([refused.code, refused.stdout]).toEqual([2, '']);
      expect(refused.stderr).toContain(`code: ${code}`);
    }
  });

  it('looks at this machine when nobody names a range', async () => {
    const { stdout } = await folder.run('discover', '--json', '--timeout=30', `--ports=${ports['OLLAMA']}`);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([{ kind: 'ollama' }, { range: 'localhost', endpoints: 1, found: 1 }]);
  });

  it('ends with 130 at Ctrl-C', async () => {
    const silent = await serveTcp(() => {});
    const args = ['discover', '--json', ...scanArgs([silent.port], '60')];
    const child = startCli(args, folder.path, { entry: ENTRY, cwd: folder.path });
    await once(child.stderr ?? child, 'data');
    child.kill('SIGINT');
    expect(await ended(child)).toBe(130);
    await silent[Symbol.asyncDispose]();
  });

  it('takes at most 64 ports', async () => {
    const list = Array.from({ length: 65 }, (_, i) => i + 1).join(',');
    const { code, stderr } = await folder.run('discover', '--ports', list);
    expect([code, stderr.split('\n', 1)[0]]).toEqual([
      2,
      'error: --ports has 65 ports, but at most 64 are scanned; name the ports of your servers.',
    ]);
  });
});

describe('check', () => {
  const hash = 'ab'.repeat(32);
  const good = `gateway_id: gw_a
runtimes:
  - { id: ollama, kind: ollama, base_url: http://127.0.0.1:11434 }
  - { id: gpu, kind: vllm, base_url: http://127.0.0.1:8000, api_key: { env: GPU_KEY } }
  - { id: far, kind: vllm, base_url: http://10.0.0.1:8000, api_key: { file: far.key } }
models:
  - { id: llama3, targets: [{ runtime: ollama, model: 'llama3:8b' }, { runtime: gpu, model: llama3 }] }
virtual_keys:
  - { id: vk_1, name: app, prefix: gwk_ab12cd, hash: ${hash}, models: null }
  - { id: vk_2, name: test, prefix: gwk_ab12ce, hash: ${hash.replace('a', 'c')}, models: [llama*] }
listen: 127.0.0.1:0
`;
  beforeAll(() => {
    folder.remove();
    folder = createFolder();
    writeFileSync(join(folder.path, 'good.yaml'), good);
    writeFileSync(join(folder.path, 'bad.yaml'), `${good}listn: x\n`.replace('runtime: gpu', 'runtime: gpo'));
  });

  it('prints what is served, and warns of secrets that are not there', async () => {
    const before = folder.snapshot();
    const { code, stdout, stderr } = await folder.run('check', '-config', 'good.yaml');
    expect(code).toBe(0);
    expect(withWords(stdout, {}, folder)).toBe(`good.yaml can be used.

gateway   gw_a
listens   http://127.0.0.1:0
data      FOLDER/gateway-data

3 runtimes
  ollama  http://127.0.0.1:11434
  gpu  (vllm)  http://127.0.0.1:8000
  far  (vllm)  http://10.0.0.1:8000
1 model
  llama3  from ollama as llama3:8b, gpu
2 keys in the file
  PREFIX…  app: all models
  PREFIX…  test: llama*
`);
    expect(withWords(stderr, {}, folder))
      .toBe(`warning: the api_key of runtime gpu: the environment variable GPU_KEY is not set here
warning: the api_key of runtime far: the file FOLDER/far.key cannot be read
`);
    expect(folder.snapshot()).toEqual(before);
  });

  it('refuses an address that this machine does not have, and warns of a port that is taken', async () => {
    await using taken = await startUpstream(() => {});
    const { host } = new URL(taken.url);
    writeFileSync(join(folder.path, 'taken.yaml'), good.replace('127.0.0.1:0', host));
    const busy = await folder.run('check', '-config', 'taken.yaml');
    expect([busy.code, busy.stdout.split('\n')[0]]).toEqual([0, 'taken.yaml can be used.']);
    expect(busy.stderr).toContain(
      `warning: port ${host.slice(10)} of 127.0.0.1 is in use now; it must be free when the server starts`,
    );
    // TEST-NET-1 of RFC 5737, which no machine has.
    writeFileSync(join(folder.path, 'away.yaml'), good.replace('127.0.0.1:0', '192.0.2.1:9440'));
    const away = await folder.run('check', '-config', 'away.yaml');
    expect([away.code, away.stdout]).toEqual([3, '']);
    expect(away.stderr).toContain('code: address_unavailable');
  });

  it('tells each mistake with its line, its column and the nearest name, with exit status 3', async () => {
    const { code, stdout, stderr } = await folder.run('check', '-config', 'bad.yaml');
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toBe(`error: bad.yaml cannot be used: 2 mistakes
bad.yaml:7:81: models[0].targets[1].runtime is "gpo", which no runtime has. Did you mean gpu?
bad.yaml:12:1: listn is not a field of gateway.yaml. Did you mean listen?
code: gateway_config_invalid
`);
  });

  it('tells the same as JSON, without hashes', async () => {
    const refused = await folder.run('check', '-config', 'bad.yaml', '--json');
    expect([refused.code, refused.stderr]).toEqual([3, '']);
    expect(JSON.parse(refused.stdout)).toMatchObject({
      valid: false,
      problems: [
        { line: 7, column: 81, field: 'models[0].targets[1].runtime' },
        { line: 12, column: 1, message: expect.stringContaining('Did you mean listen?') },
      ],
    });
    const fine = await folder.run('check', '-config', 'good.yaml', '--json');
    expect(fine.code).toBe(0);
    expect(fine.stdout).not.toContain(hash);
    expect(JSON.parse(fine.stdout)).toMatchObject({
      valid: true,
      missing_secrets: [expect.stringContaining('GPU_KEY'), expect.stringContaining('far.key')],
      listen_warning: null,
      serves: { gateway_id: 'gw_a', listen: '127.0.0.1:0', models: [{ id: 'llama3' }] },
    });
  });
});
