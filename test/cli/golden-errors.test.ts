// What is printed where a command line, a name, a file or a server is wrong: word for word, with the exit status.
// `npx vitest run dist/test/cli/golden-errors.test.js --update` records it anew, to be looked at.
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/index.js';
import { runInProcess } from './run-in-process.js';

const root = mkdtempSync(join(tmpdir(), 'golden-errors-'));
const models = join(root, 'models');
const gguf = join(process.cwd(), 'test/vectors/gguf/llama-q4_0.gguf');

beforeAll(async () => {
  await openStore(models).place({ repo: 'a/b_c' }, ({ artifact }) => {
    cpSync('dist/demo', artifact, { recursive: true });
    return Promise.resolve();
  });
  cpSync(gguf, join(models, 'tiny.gguf'));
  mkdirSync(join(root, 'empty'));
  writeFileSync(join(root, 'none.gguf'), 'no model');
  writeFileSync(join(root, 'file'), '');
  symlinkSync('nowhere', join(root, 'link'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** `$root` stands for a directory with the files above. */
const lines = [
  'lst',
  'Show demo',
  'remove demo',
  '--json',
  'list --quite',
  'list extra',
  'list --models-dir=',
  'show',
  'show a/b',
  'show a_b/c',
  'show a/b_d',
  'show a/b_c:Q8_0',
  'show a/b_c@main',
  'show ../../nowhere/passwd',
  'show demo --tensor',
  'rm',
  'rm demo',
  'rm tiny nobody',
  'rm tniy',
  'cp',
  'cp tiny',
  'cp tiny a/b_c',
  'cp tiny tiny',
  'cp tiny ../x',
  'cp tiny nul',
  'cp tiny demo',
  'cp tiny a/b/c',
  'cp tiny .hidden',
  'cp nobody x',
  'import',
  'import $root/nowhere.gguf',
  'import $root/none.gguf',
  'import $root/empty',
  'import $root/link',
  'import $gguf --name a--b',
  'import $gguf --name tiny --quant q7',
  'import $gguf --models-dir $root/file',
  'tokenize demo',
  'tokenize nobody hi',
  'tokenize demo --decode twelve',
  'tokenize demo --decode 99999999',
  'df extra',
  'ps --host http://x/path',
  'ps --host me:secret@x',
  'load',
  'load nobody --estimate-only',
  'load demo --estimate-only --ctx 1',
  'load demo --estimate-only --threads none',
  'unload',
  'unload demo --all',
  'stop',
  'bench demo --concurrency 0',
  'bench demo --concurrency 1,,2',
  'bench demo --duration soon',
  'completion',
  'completion powershell',
  'help lst',
];

describe('a command line that is wrong', () => {
  it.each(lines)('%s', async (line) => {
    const argv = line.split(' ').map((word) => word.replace('$root', root).replace('$gguf', gguf));
    const env = { TROUPE_MODELS: models, TROUPE_CACHE: join(root, 'cache') };
    const stdin = line === 'tokenize demo' ? '\ufffd\0' : '';
    const { status, stdout, stderr } = await runInProcess(argv, { env, stdin });
    const told = stderr
      .replaceAll(root, '$root')
      .replaceAll(process.cwd(), '$package')
      .replaceAll(/^converting .*\n/gm, '');
    expect(stdout).toBe('');
    expect(status).toBeGreaterThan(0);
    expect(told).not.toContain('internal_error');
    golden.push(`$ native-engine ${line}\n${told}exit ${status}\n`);
  });

  it('is answered word for word', async () => {
    expect(golden).toHaveLength(lines.length);
    await expect(golden.join('\n')).toMatchFileSnapshot(join(process.cwd(), 'test/vectors/terminal/errors.txt'));
  });
});

const golden: string[] = [];
