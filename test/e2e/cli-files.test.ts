import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { text as ggufText } from '../../bench/gguf/gguf-writer.js';
import { writeShapeFile } from '../../bench/gguf/shape-file.js';
import { shapes } from '../../src/convert/index.js';
import { nobodyArguments } from '../support/as-nobody.js';
import { ggufFile } from '../weights/gguf-file.js';
import { createTemporaryDirectory, ended, hasPty, openScreen, runCli, startCli } from './processes.js';
import { runHere } from './run-here.js';

const scratch = createTemporaryDirectory();
chmodSync(scratch.path, 0o755);
afterAll(scratch.remove);
const gguf = join(process.cwd(), 'test/vectors/gguf/llama-q4_0.gguf');
/** Where the engine runs changes nothing of which files are read and written, and starting threads is half of a command's work. */
const inline = ['--placement', 'inline'];
const short = ['--max-tokens', '2', '--temperature', '0', ...inline, 'hi'];

/** A new directory, which everybody may write. */
function directory(): string {
  const path = mkdtempSync(join(scratch.path, 'd-'));
  chmodSync(path, 0o777);
  return path;
}
const made = (cache: string): string[] => readdirSync(join(cache, 'models'));

describe('where the home, or the directory of the models, cannot be written', () => {
  const asNobody = (temporary: string) => ({ nodeArguments: nobodyArguments, env: { TMPDIR: temporary } });

  it('a GGUF file is converted below the temporary directory', async () => {
    const [home, models, temporary] = [directory(), directory(), directory()];
    copyFileSync(gguf, join(models, 'Tiny.GGUF'));
    for (const path of [home, models]) chmodSync(path, 0o555);
    const options = asNobody(temporary);
    const answer = await runCli(['run', 'Tiny', '--models-dir', models, ...short], home, '', options);
    expect(answer).toMatchObject({ code: 0 });
    const [own = ''] = readdirSync(temporary).filter((name) => name.startsWith('troupe-'));
    expect(made(join(temporary, own))).toEqual([expect.stringMatching(/^gguf-[0-9a-f]{64}-[\d.]+$/)]);
    expect([readdirSync(home), readdirSync(models)]).toEqual([[], ['Tiny.GGUF']]);
    const again = await runCli(['run', join(models, 'Tiny.GGUF'), ...short], home, '', options);
    expect(again.stdout).toBe(answer.stdout);
  });

  it('and the temporary directory neither, the demo answers, and the error for a file says what to do', async () => {
    const [home, temporary] = [directory(), directory()];
    for (const path of [home, temporary]) chmodSync(path, 0o555);
    const options = asNobody(temporary);
    expect(await runCli(['run', 'demo', ...short], home, '', options)).toMatchObject({ code: 0 });
    const { code, stderr } = await runCli(['run', gguf, ...short], home, '', options);
    expect(stderr).toMatch(
      /^error: no cache directory can be written: .*pass --cache-dir.*\ncode: cache_unwritable\n$/,
    );
    expect(code).toBe(3);
    const cache = directory();
    const asked = { ...options, env: { ...options.env, TROUPE_CACHE: cache } };
    expect(await runCli(['run', gguf, ...short], home, '', asked)).toMatchObject({ code: 0 });
    expect(made(cache)).toHaveLength(1);
  });

  it('an --out there is refused by its path', async () => {
    const place = directory();
    chmodSync(place, 0o555);
    const out = join(place, 'model');
    const { code, stderr } = await runCli(['convert', gguf, '--out', out], directory(), '', asNobody(directory()));
    expect(stderr).toContain(`error: ${out} cannot be written: permission is denied`);
    expect(stderr).toMatch(/\ncode: access_denied\n$/);
    expect(code).toBe(3);
  });

  it('a file that may not be read is refused by its path', async () => {
    const place = directory();
    copyFileSync(gguf, join(place, 'mine.gguf'));
    chmodSync(join(place, 'mine.gguf'), 0);
    const { stderr } = await runCli(['run', './mine.gguf', ...short], directory(), '', {
      ...asNobody(directory()),
      cwd: place,
    });
    expect(stderr).toMatch(/^error: \.\/mine\.gguf cannot be read: permission is denied.*\ncode: access_denied\n$/);
  });

  it('there is no home at all, and the library answers', () => {
    const library = pathToFileURL(join(process.cwd(), 'dist/src/index.js')).href;
    const homeless = `import os from 'node:os'; import { syncBuiltinESMExports } from 'node:module';
      os.homedir = () => { throw Object.assign(new Error('uv_os_homedir returned ENOENT'), { code: 'ERR_SYSTEM_ERROR' }); };
      syncBuiltinESMExports();`;
    const script = `const { createEngine } = await import(${JSON.stringify(library)});
      const engine = await createEngine({ threads: 1 });
      const model = await engine.load('demo');
      const messages = [{ role: 'user', content: 'What is 12 + 30?' }];
      console.log((await model.chat({ messages, temperature: 0 })).choices[0].message.content);
      await engine.load('nothing-like-it').catch((error) => console.log(error.code, error.message));
      await engine.load(${JSON.stringify(gguf)});
      await engine[Symbol.asyncDispose]();`;
    const preload = `data:text/javascript,${encodeURIComponent(homeless)}`;
    const args = ['--import', preload, '--input-type=module', '-e', script];
    const { stdout, stderr } = spawnSync(process.execPath, args, { env: { ...process.env, TMPDIR: directory() } });
    expect(stderr.toString()).toBe('');
    expect(stdout.toString()).toMatch(/^42\nartifact_not_found .*since there is no home/);
  });
});

describe.skipIf(process.platform === 'win32')('a process that may open no more files', () => {
  it('gets an error that says so, and loads when it may again', () => {
    const library = pathToFileURL(join(process.cwd(), 'dist/src/index.js')).href;
    const copy = join(directory(), 'copy');
    cpSync(join(process.cwd(), 'dist/demo'), copy, { recursive: true });
    const script = `const { openSync, closeSync } = await import('node:fs');
      const { createEngine } = await import(${JSON.stringify(library)});
      const engine = await createEngine({ placement: 'inline', cacheDir: ${JSON.stringify(directory())}, modelsDir: ${JSON.stringify(directory())} });
      await engine.load('demo');
      const files = [];
      try { for (;;) files.push(openSync('/dev/null')); } catch (error) { console.log(error.code); }
      for (const path of ${JSON.stringify([copy, gguf])}) await engine.load(path).catch(({ code }) => console.log(code));
      await engine.available().catch(({ code }) => console.log(code));
      for (const file of files) closeSync(file);
      for (const path of ${JSON.stringify([copy, gguf])}) console.log((await engine.load(path)).id);
      await engine[Symbol.asyncDispose]();`;
    const limited = ['-c', 'ulimit -n 200; exec "$0" --input-type=module -e "$1"', process.execPath, script];
    const { stdout, stderr } = spawnSync('sh', limited);
    expect(stderr.toString()).toBe('');
    const said = ['EMFILE', 'too_many_open_files', 'too_many_open_files', 'too_many_open_files', 'demo', 'llama-q4_0'];
    expect(stdout.toString().trim().split('\n')).toEqual(said);
  });
});

describe('names and paths', () => {
  it.each([
    [['run', './nothere.gguf', 'hi'], /^error: there is no model \.\/nothere\.gguf: no file and no directory/],
    [['bench', 'tinny'], /there is no model "tinny".*Did you mean Tiny\.GGUF\?/],
    [['convert', 'tinny', '--out', 'x'], /there is no model "tinny".*Did you mean Tiny\.GGUF\?/],
    [['run', 'tinny', 'hi'], /there is no model "tinny".*Did you mean Tiny\.GGUF\?/],
  ])('%j that is not there is named as it was typed', async (args, says) => {
    const models = directory();
    copyFileSync(gguf, join(models, 'Tiny.GGUF'));
    const place = directory();
    const { code, stderr } = await runHere([...args, '--models-dir', models], directory(), '', { cwd: place });
    expect(stderr).toMatch(says);
    expect(stderr).toMatch(/\ncode: artifact_not_found\n$/);
    expect(stderr).not.toMatch(/manifest\.json|\.troupe/);
    expect(code).toBe(2);
  });

  it('of --models-dir are taken by convert and bench', async () => {
    const [models, cache, home] = [directory(), directory(), directory()];
    copyFileSync(gguf, join(models, 'Tiny.GGUF'));
    const where = ['--models-dir', models];
    expect(await runHere(['convert', 'Tiny', '--out', join(models, 'out'), ...where], home)).toMatchObject({ code: 0 });
    const few = ['--prompt-tokens', '4', '--gen-tokens', '2', '--repeats', '1', '--json', ...inline];
    const bench = await runHere(['bench', 'Tiny.gguf', ...where, '--cache-dir', cache, ...few], home);
    expect(bench).toMatchObject({ code: 0, stderr: '' });
    expect(made(cache)).toHaveLength(1);
    expect(readdirSync(models).toSorted()).toEqual(['Tiny.GGUF', 'out']);
    expect(existsSync(join(home, '.troupe'))).toBe(false);
  });

  it.each([
    ['a file', (path: string) => writeFileSync(path, '')],
    ['not to be listed', (path: string) => mkdirSync(path, { mode: 0 })],
  ])('of a --models-dir that is %s are refused by serve at its start', async (_, make) => {
    const path = join(directory(), 'models');
    make(path);
    const args = ['serve', '--http', '--port', '0', '--models-dir', path];
    const { code, stderr } = await runCli(args, directory(), '', { nodeArguments: nobodyArguments });
    expect(stderr).toContain(`error: --models-dir is ${path}, which cannot be listed: `);
    expect(code).toBe(2);
  });
});

describe('what a file cannot do', () => {
  it('is said at once, however large it is', async () => {
    const path = join(directory(), 'large.gguf');
    const tensors = [{ name: 'token_embd.weight', type: 'Q5_0', shape: [8, 32] }];
    writeFileSync(path, ggufFile({ metadata: { 'general.architecture': ggufText('mamba') }, tensors }));
    truncateSync(path, 2 ** 33);
    const cache = directory();
    const { code, stderr } = await runHere(['run', path, '--cache-dir', cache, 'hi'], directory());
    expect(stderr).toMatch(/architecture "mamba" cannot be read.*\ncode: unsupported_architecture\n$/s);
    expect([code, readdirSync(cache)]).toEqual([2, []]);
  });
});

describe('the conversion of a larger file', () => {
  const large = join(scratch.path, 'large.gguf');
  const config = { ...shapes['0.5b'], num_hidden_layers: 8, vocab_size: 32_000 };

  it('that Ctrl-C interrupts leaves nothing to be seen', async () => {
    await writeShapeFile(large, config, 'Q8_0');
    const [cache, out] = [directory(), join(directory(), 'model')];
    for (const [args, folder] of [
      [['run', large, '--cache-dir', cache, 'hi'], join(cache, 'models')],
      [['convert', large, '--out', out], join(out, '..')],
    ] as const) {
      const child = startCli(args, directory());
      const isUnderWay = (): boolean =>
        existsSync(folder) && readdirSync(folder).some((name) => name.includes('.partial-'));
      while (!isUnderWay() && child.exitCode === null) await sleep(5);
      child.kill('SIGINT');
      expect(await ended(child)).toBe(130);
      expect(readdirSync(folder)).toEqual([]);
    }
  });

  it('is done once by two processes that ask at the same time', async () => {
    const cache = directory();
    const args = ['run', large, '--cache-dir', cache, ...inline, '--max-tokens', '1', 'hi'];
    const both = await Promise.all([runCli(args, directory()), runCli(args, directory())]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(made(cache)).toEqual([expect.stringMatching(/^gguf-[0-9a-f]{64}-[\d.]+$/)]);
  });

  it.skipIf(!hasPty)('leaves an answer on a terminal alone on its lines', async () => {
    const screen = openScreen(['run', gguf, ...short], directory());
    expect(await screen.end()).toBe(0);
    const shown = screen.text().split('\r\x1b[K').at(-1) ?? '';
    expect(shown).not.toMatch(/reading|converting/);
  });
});
