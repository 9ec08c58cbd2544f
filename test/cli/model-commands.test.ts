// The commands of the models directory: what they print, in both forms, and what they leave on the disk.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outputs } from '../../src/bin/native-engine/outputs/index.js';
import { Compile } from '../../src/schema/index.js';
import { openStore } from '../../src/store/index.js';
import { runInProcess, type Printed } from './run-in-process.js';

const gguf = join(process.cwd(), 'test/vectors/gguf/llama-q4_0.gguf');
const root = mkdtempSync(join(tmpdir(), 'model-commands-'));
const models = join(root, 'models');
const env = { TROUPE_MODELS: models, TROUPE_CACHE: join(root, 'cache') };
const run = (...argv: string[]): Promise<Printed> => runInProcess(argv, { env });

/** The JSON that a command prints, which must be what its schema says. */
async function json(line: keyof typeof outputs, ...argv: string[]): Promise<unknown> {
  const { status, stdout, stderr } = await runInProcess([...argv, '--json'], { env });
  expect(stderr).not.toMatch(/^(?:error|warning):/m);
  expect(status).toBe(0);
  const value: unknown = JSON.parse(stdout);
  const validator = Compile(outputs[line]);
  expect(validator.Errors(value)).toEqual([]);
  expect(validator.Check(value)).toBe(true);
  return value;
}

beforeAll(async () => {
  const store = openStore(models);
  const fromDemo = ({ artifact }: { readonly artifact: string }): Promise<void> => {
    cpSync('dist/demo', artifact, { recursive: true });
    return Promise.resolve();
  };
  const revision = 'c'.repeat(40);
  await store.place({ repo: 'org/name', revision, quant: 'Q4_K_M', license: 'mit' }, fromDemo);
  await store.place({ repo: 'org/name', revision, quant: 'Q8_0', isAskedQuant: true }, fromDemo);
  cpSync(gguf, join(models, 'tiny.gguf'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('list', () => {
  it('has for each model its repository, revision, quant, size, context and date', async () => {
    const listed = (await json('list', 'list')) as { name: string }[];
    expect(listed.map(({ name }) => name)).toEqual(['demo', 'org_name', 'org_name@Q8_0', 'tiny.gguf']);
    expect(listed[1]).toMatchObject({
      repo: 'org/name',
      revision: 'c'.repeat(40),
      quant: 'Q4_K_M',
      contextLength: 1024,
      signed: false,
    });
    expect(listed[3]).toMatchObject({ repo: null, quant: 'Q4_0', signed: null });
    expect(await json('list', 'ls')).toEqual(listed);
    expect((await run('list', '-q')).stdout).toBe('demo\norg_name\norg_name@Q8_0\ntiny.gguf\n');
  });

  it('tells of what cannot be read, and of what was swept', async () => {
    writeFileSync(join(models, 'broken.gguf'), 'no model');
    symlinkSync('nowhere', join(models, 'gone.gguf'));
    const dead = join(models, '.staging-4194305-0-0123456789ab');
    mkdirSync(dead);
    const { status, stdout, stderr } = await run('list');
    expect(status).toBe(0);
    expect(stdout).toMatch(/^broken\.gguf +- +unreadable/m);
    expect(stderr).toMatch(/^removed .*\.staging-.*, which a process left half-made \(0 B\)$/m);
    expect(stderr).toMatch(/^warning: broken\.gguf: .+$/m);
    expect(stderr).toMatch(/^warning: gone\.gguf: .+ cannot be read, or is a link to nowhere$/m);
    expect(existsSync(dead)).toBe(false);
    for (const name of ['broken.gguf', 'gone.gguf']) rmSync(join(models, name));
  });
});

describe('show', () => {
  it.each(['org/name', 'org_name', 'org/name:latest', 'org/name:q4_k_m', 'demo', 'tiny'])(
    'tells what %s is',
    async (id) => {
      const shown = await json('show', 'show', id);
      expect(shown).toMatchObject({
        parameters: expect.any(Number) as number,
        tensors: expect.any(Array) as unknown[],
      });
    },
  );

  it('has template, tensors and licence', async () => {
    expect(await json('show', 'show', 'org/name')).toMatchObject({
      license: 'mit',
      quant: 'Q4_K_M',
      architecture: 'qwen3',
    });
    const { stdout } = await run('show', 'org/name');
    expect(stdout).toMatch(/^ {2}repository +org\/name$/m);
    expect(stdout).toMatch(/^Tensors: \d+$/m);
    expect((await run('show', 'org/name', '--tensors')).stdout).toMatch(/^ {2}layers\.0\.\S+ +Q8_0 +\[\d+, \d+\]$/m);
    expect((await run('show', 'demo', '--template')).stdout).toContain('<|im_start|>');
  });
});

describe('import, cp and rm', () => {
  it('make a model of a file, another name of it, and remove both', async () => {
    expect(await json('import', 'import', gguf, '--name', 'mine')).toMatchObject({
      name: 'mine',
      quant: 'q4',
      notices: [],
    });
    expect(await json('cp', 'cp', 'mine', 'org/copy:v1')).toMatchObject({ from: 'mine', name: 'org_copy@V1' });
    expect(readdirSync(models)).toContain('org_copy@V1');
    const refused = await run('import', gguf, '--name', 'mine');
    expect([refused.status, refused.stderr]).toEqual([
      2,
      expect.stringContaining('a model of that name is there') as string,
    ]);
    expect((await run('import', gguf, '--name', 'mine', '--force')).stdout).toContain('run it: native-engine run mine');
    expect(await json('rm', 'rm', 'mine', 'org/copy:v1')).toEqual([
      { name: 'mine', freedBytes: expect.any(Number) as number },
      { name: 'org_copy@V1', freedBytes: expect.any(Number) as number },
    ]);
    expect(readdirSync(models)).toEqual(['org_name', 'org_name@Q8_0', 'tiny.gguf']);
  });

  it('call a model as its file is called', async () => {
    const odd = join(root, '-Some Model (v1)..Q4_0.gguf');
    cpSync(gguf, odd);
    expect(await json('import', 'import', odd)).toMatchObject({ name: 'Some-Model-v1-Q4_0' });
    await run('rm', 'Some-Model-v1-Q4_0');
  });

  it('remove nothing where one name is wrong', async () => {
    const { status, stderr } = await run('rm', 'tiny', 'nobody');
    expect([status, stderr]).toEqual([2, expect.stringContaining('there is no model "nobody"') as string]);
    expect(existsSync(join(models, 'tiny.gguf'))).toBe(true);
  });

  it('leave nothing where a conversion fails', async () => {
    const broken = join(root, 'broken.gguf');
    writeFileSync(broken, 'no model');
    expect((await run('import', broken)).status).toBe(2);
    expect(readdirSync(models)).toEqual(['org_name', 'org_name@Q8_0', 'tiny.gguf']);
  });
});

describe('df', () => {
  it('counts what several names share once', async () => {
    const before = (await json('df', 'df')) as { places: { what: string; sizeBytes: number }[] };
    await run('cp', 'org/name', 'shared');
    const after = (await json('df', 'df')) as typeof before;
    expect(after.places[0]?.sizeBytes).toBe(before.places[0]?.sizeBytes);
    expect((await run('rm', 'shared')).stdout).toBe('removed shared (0 B freed)\n');
    expect((await run('df')).stdout).toMatch(/^models +3 /m);
  });
});

describe('tokenize', () => {
  it('gives ids with their texts, and texts of ids', async () => {
    const found = (await json('tokenize', 'tokenize', 'demo', 'What is 12 + 30?')) as { tokens: { id: number }[] };
    const ids = found.tokens.map(({ id }) => String(id));
    expect((await run('tokenize', 'demo', '--decode', ids.join(', '))).stdout).toBe('What is 12 + 30?\n');
    expect((await run('tokenize', 'demo', '--count', 'What is 12 + 30?')).stdout).toBe(`${ids.length}\n`);
    const piped = await runInProcess(['tokenize', 'tiny', '--json'], { env, stdin: 'a b\n' });
    expect(JSON.parse(piped.stdout)).toMatchObject({ text: 'a b\n' });
  });
});

describe('load --estimate-only', () => {
  it.each(['demo', 'tiny', 'org/name:q8_0'])('tells what %s would take here, and loads nothing', async (id) => {
    const found = (await json('load --estimate-only', 'load', id, '--estimate-only', '--threads', '1')) as Record<
      string,
      number
    >;
    expect(found).toMatchObject({ fits: true });
    expect(found['totalBytes']).toBeGreaterThan(found['weightsBytes'] ?? Infinity);
  });

  it('says what can be done where it does not fit', async () => {
    const { stdout } = await run('load', 'demo', '--estimate-only', '--memory-budget', '0.002');
    expect(stdout).toContain('It does not fit. Try a smaller quant');
  });
});

describe('doctor', () => {
  it('finds no problem here, and tells what it looked at and the live tree', async () => {
    const found = (await json('doctor', 'doctor', '--quick')) as {
      checks: { section: string }[];
      tree: { id: string };
    };
    const sections = [...new Set(found.checks.map(({ section }) => section))];
    expect(sections).toEqual(['CPU', 'Memory', 'Node', 'Kernels', 'GPU', 'Disk', 'Models', 'Network', 'Environment']);
    expect(found.tree.id).toBe('engine');
  });

  it('ends with 1 where something will fail, and shows no secret', async () => {
    writeFileSync(join(models, 'broken.gguf'), 'no model');
    const secret = {
      HTTPS_PROXY: 'http://me:hunter2@proxy.example:8080',
      OLLAMA_HOST: 'secret-host',
      TROUPE_TRUSTED_KEYS: 'abc',
    };
    const { status, stdout } = await runInProcess(['doctor', '--quick'], { env: { ...env, ...secret }, columns: 60 });
    rmSync(join(models, 'broken.gguf'));
    expect(status).toBe(1);
    expect(stdout).toMatch(/^x broken\.gguf/m);
    expect(stdout).toContain('http://***@proxy.example:8080');
    expect(stdout).toMatch(/OLLAMA_HOST is set/);
    expect(stdout).not.toMatch(/hunter2|secret-host|abc/);
    expect(Math.max(...stdout.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(60);
  });
});
