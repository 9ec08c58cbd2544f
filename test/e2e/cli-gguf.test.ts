import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { writeShapeFile } from '../../bench/gguf/shape-file.js';
import { shapes } from '../../src/convert/index.js';
import { createTemporaryDirectory, runCli } from './processes.js';
import { runHere } from './run-here.js';

const home = createTemporaryDirectory();
afterAll(home.remove);
const nodeMajor = Number.parseInt(process.versions.node, 10);
/** Where the engine runs changes nothing of what is said here, and starting threads is half of a command's work. */
const inline = ['--placement', 'inline'];
const file = join(process.cwd(), 'test/vectors/gguf/llama-q4_0.gguf');

describe('a GGUF file on the command line', () => {
  it('is run and measured as it is, converted into the cache directory once', async () => {
    const answer = await runHere(['run', file, 'hi', '--max-tokens', '4', '--temperature', '0', ...inline], home.path);
    expect(answer).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('(the answer was cut') as string,
    });
    const bench = ['bench', file, '--json', '--prompt-tokens', '8', '--gen-tokens', '4', '--repeats', '1'];
    const { stdout, code } = await runHere(bench, home.path);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ model: file, quant: 'q4', promptTokens: 8, genTokens: 4 });
    expect(JSON.parse(stdout)).toMatchObject({
      decodeRuns: [expect.any(Number)],
      speculativeRuns: [expect.any(Number)],
    });
    const made = readdirSync(join(home.path, '.cache', 'troupe', 'models'));
    expect(made).toEqual([expect.stringMatching(/^gguf-[0-9a-f]{64}-/)]);
    expect(existsSync(join(home.path, '.troupe'))).toBe(false);
  });

  it('is run from memory where no copy shall be kept', async () => {
    const args = ['run', join(process.cwd(), 'test/vectors/gguf/llama-k.gguf'), 'hi', '--max-tokens', '4', ...inline];
    const cacheDir = join(home.path, 'no-cache');
    const { code, stderr } = await runHere([...args, '--no-cache', '--cache-dir', cacheDir], home.path);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^\(stored as q8, 8\.5 bits a weight: .*\)\n/m);
    expect(existsSync(join(cacheDir, 'models'))).toBe(false);
    const cached = await runHere([...args, '--cache-dir', cacheDir], home.path);
    expect(cached.stderr).toMatch(/^stored as q8, 8\.5 bits a weight: /);
    expect((await runHere([...args, '--cache-dir', cacheDir], home.path)).stderr).not.toContain('stored as q8');
  });

  it('is measured with a note where its kernels could not be tried, as a table too', async () => {
    const permissions = nodeMajor < 22 ? '--experimental-permission' : '--permission';
    const nodeArguments = [
      permissions,
      '--allow-fs-read=*',
      '--allow-fs-write=*',
      '--allow-worker',
      '--no-enable-avx2',
    ];
    const bench = ['bench', 'demo', '--prompt-tokens', '8', '--gen-tokens', '4', '--repeats', '1'];
    const { stdout, code } = await runCli(bench, home.path, '', { nodeArguments });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^note: kernels are compiled without V8's flags.*allows no child process\)\n$/m);
  });

  it('is converted with its own types, or with those that are asked for', async () => {
    const shape = { ...shapes['0.5b'], vocab_size: 300, hidden_size: 64, intermediate_size: 64, num_hidden_layers: 1 };
    const path = join(home.path, 'tiny.gguf');
    await writeShapeFile(path, { ...shape, num_attention_heads: 2, num_key_value_heads: 1 }, 'Q4_1');
    const kept = await runHere(['convert', path, '--out', join(home.path, 'kept')], home.path);
    expect(kept.stdout).toMatch(/MiB, q4m\n$/);
    const asked = await runHere(['convert', path, '--out', join(home.path, 'asked'), '--quant', 'q8'], home.path);
    expect(asked.stdout).toMatch(/MiB, q8\n$/);
  });

  it('answers until its context is full where the answer has no limit, and says so', async () => {
    const talkative = join(process.cwd(), 'test/vectors/gguf/qwen2-q8_0.gguf');
    const args = ['run', talkative, 'hello', '--max-tokens', '-1', '--temperature', '0', ...inline];
    const { code, stderr } = await runHere(args, home.path);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: '(the answer was cut: the context of 128 tokens is full)\n',
    });
  });

  it('whose template has no thinking is refused in the words of the option that asks for it', async () => {
    const think = await runHere(['run', file, '--think', 'hi', '--max-tokens', '2', ...inline], home.path);
    expect(think).toMatchObject({ code: 2, stdout: '' });
    expect(think.stderr).toBe(
      'error: the chat template of llama-q4_0 knows no thinking; leave --think out, or type /nothink, or choose another model\ncode: unsupported_by_template\n',
    );
  });

  it('that is none is refused', async () => {
    const path = join(home.path, 'none.gguf');
    writeFileSync(path, 'not a model');
    const { stderr, code } = await runHere(['run', path, 'hi'], home.path);
    expect(stderr).toMatch(/none\.gguf is not a valid GGUF file.*\ncode: checkpoint_invalid\n$/s);
    expect(code).toBe(2);
  });
});
