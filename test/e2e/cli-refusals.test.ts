import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTemporaryDirectory, type Ended } from './processes.js';
import { runHere } from './run-here.js';

const home = createTemporaryDirectory();
afterAll(home.remove);
const checkpoint = join(process.cwd(), 'assets/demo');

/** The code on standard error, which must be there beside a message and without a stack. */
function codeOf({ stderr, stdout }: Ended): string | undefined {
  expect(stdout).toBe('');
  expect(stderr).toMatch(/^error: .+\ncode: \w+\n$/s);
  expect(stderr).not.toMatch(/\n\s+at /);
  return /\ncode: (\w+)\n$/.exec(stderr)?.[1];
}

describe('a command line that is wrong', () => {
  it.each([
    [['run', 'demo', '--threads', '0', 'hi'], 'invalid_option', 'from 1 to 256'],
    [['run', 'demo', '--threads', 'two', 'hi'], 'invalid_option', '"two"'],
    [['run', 'demo', '--temperature', '2.5', 'hi'], 'invalid_option', 'from 0 to 2'],
    [['run', 'demo', '--kernel', 'portabel', 'hi'], 'invalid_option', 'Did you mean portable?'],
    [['run', 'demo', '--backend', 'cuda:x', 'hi'], 'invalid_option', 'cuda:0'],
    [['run', 'demo', '--tempratur', '0', 'hi'], 'unknown_option', 'Did you mean --temperature?'],
    [['runn', 'demo'], 'unknown_command', 'Did you mean run?'],
    [['run'], 'invalid_arguments', 'Usage'],
    [['convert', checkpoint], 'invalid_arguments', '--out'],
    [['convert', checkpoint, '--out', 'x', '--quant', 'q7'], 'invalid_option', 'q8'],
    [['bench', 'shape:9b'], 'invalid_option', '1.1b'],
  ])('%j', async (args, code, says) => {
    const result = await runHere(args, home.path);
    expect(codeOf(result)).toBe(code);
    expect(result.stderr).toContain(says);
    expect(result.code).toBe(2);
  });

  it('an empty standard input is no prompt', async () => {
    const result = await runHere(['run', 'demo'], home.path);
    expect(codeOf(result)).toBe('prompt_missing');
    expect(result.code).toBe(2);
  });
});

// Windows has no ulimit, and macOS does not enforce this one.
describe.skipIf(process.platform !== 'linux')('a limit on virtual memory', () => {
  const runLimited = (args: readonly string[]) => {
    const options = { env: { PATH: process.env['PATH'], HOME: home.path }, encoding: 'utf8' } as const;
    const command = ['-c', 'ulimit -v 8000000; exec "$0" "$@"', process.execPath, ...args];
    return spawnSync('sh', command, options);
  };
  // V8 wants 10 GiB of addresses beside each memory; from Node 24 on it does without where it cannot have them.
  const hasRoom = runLimited(['-e', 'new WebAssembly.Memory({ initial: 4, maximum: 4, shared: true })']).status === 0;

  it.runIf(hasRoom)('under which V8 makes WebAssembly memories lets the demo answer', () => {
    const limited = runLimited(['dist/src/bin/native-engine.js', 'run', 'demo', 'hi']);
    expect([limited.status, limited.stderr]).toEqual([0, '']);
  });

  it.skipIf(hasRoom)('that leaves no room for WebAssembly memory ends with out_of_memory', () => {
    const limited = runLimited(['dist/src/bin/native-engine.js', 'run', 'demo', 'hi']);
    expect(codeOf({ code: limited.status, stdout: limited.stdout, stderr: limited.stderr })).toBe('out_of_memory');
    expect(limited.stderr).toContain('ulimit -v');
    expect(limited.status).toBe(3);
  });
});

describe('a standard input that is no UTF-8', () => {
  it.each([
    ['UTF-16', Buffer.from('\ufeffWhat is 12 + 30?', 'utf16le'), 'iconv -f UTF-16'],
    ['Latin-1', Buffer.from('caf\xe9?', 'latin1'), 'offset 3'],
    ['binary', Buffer.from([0x1f, 0x8b, 0x08, 0, 1, 0, 0]), 'zero byte'],
  ])('is refused with a hint: %s', async (_, bytes, says) => {
    for (const args of [
      ['run', 'demo'],
      ['run', 'demo', 'Summarize this.'],
    ]) {
      const result = await runHere(args, home.path, bytes);
      expect(codeOf(result)).toBe('input_not_text');
      expect(result.stderr).toContain(says);
      expect(result.code).toBe(2);
    }
  });
});

describe('--help and --version', () => {
  it.each([[['--help']], [['run', '--help']], [['convert', '-h']], [['help', 'serve']], [[]]])(
    '%j print and end with 0',
    async (args) => {
      const { code, stdout, stderr } = await runHere(args, home.path);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain('native-engine');
    },
  );

  it('--help is as wide as COLUMNS says', async () => {
    for (const columns of [40, 80]) {
      const { stdout } = await runHere(['run', '--help'], home.path, '', { env: { COLUMNS: String(columns) } });
      const widest = Math.max(...stdout.split('\n').map(({ length }) => length));
      expect(widest).toBeLessThanOrEqual(columns);
      expect(widest).toBeGreaterThan(columns - 10);
    }
  });

  it('a command without what it needs names that and an example', async () => {
    const result = await runHere(['run'], home.path);
    expect(codeOf(result)).toBe('invalid_arguments');
    expect(result.stderr).toContain('<model> is missing');
    expect(result.stderr).toContain('Example: native-engine run demo');
  });

  it('--version is that of package.json', async () => {
    const { code, stdout } = await runHere(['--version'], home.path);
    expect(code).toBe(0);
    expect(stdout.trim()).toBe(JSON.parse(readFileSync('package.json', 'utf8')).version);
  });
});

describe('a model that is wrong', () => {
  let copies = 0;
  const copy = (): string => {
    const path = join(home.path, `checkpoint-${copies++}`);
    cpSync(checkpoint, path, { recursive: true });
    return path;
  };
  const convert = (path: string, quant = 'q8') =>
    runHere(['convert', path, '--out', `${path}-out`, '--quant', quant], home.path);
  const edit = (path: string, change: (config: Record<string, unknown>) => void): void => {
    const config = JSON.parse(readFileSync(join(path, 'config.json'), 'utf8'));
    change(config);
    writeFileSync(join(path, 'config.json'), JSON.stringify(config));
  };
  const expectRefused = (result: Ended, code: RegExp): void => {
    expect(codeOf(result)).toMatch(code);
    expect([1, 2, 3]).toContain(result.code);
  };

  it('a path where nothing is', async () => {
    expectRefused(await runHere(['run', join(home.path, 'nowhere'), 'hi'], home.path), /not_found|missing|artifact/);
    expectRefused(await convert(join(home.path, 'nowhere')), /not_found|missing|checkpoint/);
  });

  it('weights that were cut short', async () => {
    const path = copy();
    truncateSync(join(path, 'model.safetensors'), 100_000);
    expectRefused(await convert(path), /safetensors|truncated|checkpoint/);
  });

  it('a header of nonsense', async () => {
    const path = copy();
    writeFileSync(join(path, 'model.safetensors'), Buffer.alloc(1000, 0xff));
    expectRefused(await convert(path), /safetensors|checkpoint/);
  });

  it('an unknown architecture', async () => {
    const path = copy();
    edit(path, (config) => {
      config['model_type'] = 'quux';
      config['architectures'] = ['QuuxForCausalLM'];
    });
    const result = await convert(path);
    expect(codeOf(result)).toBe('unsupported_architecture');
    expect(result.stderr).toContain('quux');
  });

  it('a shape that the weights do not have', async () => {
    const path = copy();
    edit(path, (config) => {
      config['intermediate_size'] = 4096;
    });
    expectRefused(await convert(path), /tensor|shape|checkpoint|weight/);
  });

  it('an --out that exists, which stays as it was', async () => {
    const path = copy();
    mkdirSync(`${path}-out`);
    writeFileSync(join(`${path}-out`, 'mine.txt'), 'mine');
    const result = await convert(path);
    expect(codeOf(result)).toBe('output_exists');
    expect(readFileSync(join(`${path}-out`, 'mine.txt'), 'utf8')).toBe('mine');
  });

  describe('an artifact', () => {
    let good = '';
    beforeAll(async () => {
      const path = copy();
      expect(await convert(path)).toMatchObject({ code: 0 });
      good = `${path}-out`;
    });
    const altered = (change: (path: string) => void): string => {
      const path = join(home.path, `artifact-${copies++}`);
      cpSync(good, path, { recursive: true });
      change(path);
      return path;
    };

    it('that is good answers', async () => {
      const { code, stdout } = await runHere(['run', good, '--temperature', '0', 'What is 12 + 30?'], home.path);
      expect(code).toBe(0);
      expect(stdout).toContain('42');
    });

    it('whose weights have one other bit', async () => {
      const path = altered((directory) => {
        const file = join(directory, 'weights.bin');
        const bytes = readFileSync(file);
        bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 1, bytes.length >> 1);
        writeFileSync(file, bytes);
      });
      const result = await runHere(['run', path, 'hi'], home.path);
      expectRefused(result, /^artifact_corrupt$/);
    });

    it('whose weights were cut short', async () => {
      const path = altered((directory) => truncateSync(join(directory, 'weights.bin'), 4096));
      expectRefused(await runHere(['run', path, 'hi'], home.path), /^artifact/);
    });

    it('whose template loops for ever', async () => {
      const path = copy();
      const config = JSON.parse(readFileSync(join(path, 'tokenizer_config.json'), 'utf8'));
      config.chat_template =
        '{% for a in range(100000) %}{% for b in range(100000) %}{{ a * b }}{% endfor %}{% endfor %}';
      writeFileSync(join(path, 'tokenizer_config.json'), JSON.stringify(config));
      expect(await convert(path)).toMatchObject({ code: 0 });
      expectRefused(await runHere(['run', `${path}-out`, 'hi'], home.path), /template/);
    });

    it('and a prompt over its context', async () => {
      const result = await runHere(['run', good], home.path, 'word '.repeat(3000));
      expect(codeOf(result)).toBe('context_length_exceeded');
      expect(result.stderr).toContain('1024');
      expect(result.code).toBe(2);
    });
  });
});
