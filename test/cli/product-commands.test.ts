// The command line of any product: commands of one word and of two, options with one dash, help and errors.
import { createRequire } from 'node:module';
import { PassThrough } from 'node:stream';
import type * as Clipanion from 'clipanion';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/base/index.js';
import type { CliContext } from '../../src/cli/context.js';
import { requiredOption, switchOption } from '../../src/cli/help/option.js';
import type { Product, Terminal } from '../../src/cli/index.js';
import { openQuestions } from '../../src/cli/questions.js';
import type { CommandLoader } from '../../src/cli/product.js';
import { runProduct } from '../../src/cli/run-product.js';

const { Command } = createRequire(import.meta.url)('clipanion') as typeof Clipanion;

class Keys extends Command<CliContext> {
  static override usage = Command.Usage({ description: 'Does it.', examples: [['So', '$0 keys create -config x']] });
  config = requiredOption('--config', { also: '-config', value: 'FILE', description: 'the file' });
  json = switchOption('--json', { description: 'as JSON' });
  execute(): Promise<number> {
    this.context.terminal.stdout.write(`${this.path.join(' ')} ${this.config} ${this.json}\n`);
    return Promise.resolve(0);
  }
}
const command =
  (...words: string[]): CommandLoader =>
  () =>
    Promise.resolve(
      class extends Keys {
        static override paths = [words];
      },
    );
class Fails extends Keys {
  static override paths = [['fail']];
  override execute(): Promise<number> {
    return Promise.reject(new AppError('denied', 'it is denied'));
  }
}
let numLoads = 0;
const product: Product = {
  binary: 'thing',
  label: 'Thing',
  version: '1.2.3',
  summary: 'does things',
  firstCommand: 'keys create -config x',
  commands: {
    'keys create': command('keys', 'create'),
    'keys list': command('keys', 'list'),
    audit: command('audit'),
    'audit verify': command('audit', 'verify'),
    fail: () => Promise.resolve(Fails),
  },
  codes: () => {
    numLoads++;
    return Promise.resolve({
      cli: { unknown_command: { who: 'caller', kind: 'not_found', when: '' } },
      thing: { denied: { who: 'operator', kind: 'permission_denied', when: '' } },
    });
  },
};

async function run(...argv: string[]): Promise<{ status: number; stdout: string; stderr: string }> {
  const said = { stdout: '', stderr: '' };
  const stream = (name: 'stdout' | 'stderr') => ({ write: (text: string) => (said[name] += text) });
  const terminal = {
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    env: {},
    closed: new AbortController().signal,
  };
  const during = <T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> => work(new AbortController().signal);
  const status = await runProduct(product, argv, Object(terminal) as Terminal, { during, duringService: during });
  return { status, ...said };
}

describe('a command of two words', () => {
  it.each([
    [['keys', 'create', '-config', 'x'], 'keys create x false'],
    [['keys', 'list', '--config=x', '--json'], 'keys list x true'],
    [['audit', '-config=x'], 'audit x false'],
    [['audit', 'verify', '--json', '-config', 'a b'], 'audit verify a b true'],
  ])('%j runs', async (argv, says) => {
    expect(await run(...argv)).toEqual({ status: 0, stdout: `${says}\n`, stderr: '' });
  });

  it.each([
    [['keys', 'creat'], 'There is no command keys creat. Did you mean keys create? See thing keys --help.'],
    [['keys', 'zzzzzz'], 'There is no command keys zzzzzz. See thing keys --help.'],
    [['keys'], 'keys needs a second word: create, list. See thing keys --help.'],
    [['keys', '--json'], 'keys needs a second word: create, list. See thing keys --help.'],
    [['kyes', 'create'], 'There is no command kyes. Did you mean keys? See thing --help.'],
    [['create'], 'There is no command create. Did you mean keys create? See thing --help.'],
    [['help', 'keys', 'creat'], 'There is no command keys creat. Did you mean keys create? See thing keys --help.'],
    [['--config', 'x', 'keys'], 'thing has no option --config. See thing --help.'],
    [
      ['keys', 'create'],
      'keys create: -config is missing. Usage: thing keys create [options] -config FILE. Example: thing keys create -config x',
    ],
    [
      ['keys', 'create', '-confi', 'x'],
      'keys create has no option -confi. Did you mean -config? See thing keys create --help.',
    ],
  ])('%j is refused', async (argv, message) => {
    const { stdout, stderr } = await run(...argv);
    expect(stderr).toMatch(/\ncode: (?:unknown_command|unknown_option|invalid_arguments)\n$/);
    expect({ stdout, error: stderr.split('\n', 1)[0] }).toEqual({ stdout: '', error: `error: ${message}` });
  });

  it.each([[['keys', 'create', '--help']], [['help', 'keys', 'create']], [['keys', 'create', '-h', '--json']]])(
    '%j shows its help',
    async (argv) => {
      const { status, stdout } = await run(...argv);
      expect(status).toBe(0);
      expect(stdout).toContain('thing keys create [options] -config FILE');
      expect(stdout).toContain('-config, --config FILE  the file (required)');
    },
  );

  it.each([[['keys', '--help']], [['help', 'keys']]])('%j shows those of its first word', async (argv) => {
    const { stdout } = await run(...argv);
    expect(stdout).toMatch(/^ {2}keys create +Does it\.$/m);
    expect(stdout).toMatch(/^ {2}keys list +Does it\.$/m);
    expect(stdout).not.toContain('audit');
  });

  it.each([[[]], [['--help']], [['help']], [['help', 'help']]])('%j shows all', async (argv) => {
    const { stdout } = await run(...argv);
    expect(stdout).toMatch(/^Thing 1\.2\.3: does things\.\n/);
    for (const name of Object.keys(product.commands))
      expect(stdout).toMatch(new RegExp(`^ {2}${name} +Does it\\.$`, 'm'));
  });
});

it('the codes of a product are loaded for an error and not before, and give its exit status', async () => {
  numLoads = 0;
  await run('keys', 'list', '-config', 'x');
  await run('--version');
  expect(numLoads).toBe(0);
  expect(await run('fail', '-config', 'x')).toEqual({
    status: 3,
    stdout: '',
    stderr: 'error: it is denied\ncode: denied\n',
  });
  expect((await run('nonsense')).status).toBe(2);
  expect(numLoads).toBe(2);
});

describe('questions', () => {
  it('are answered by lines in their order, also by those typed ahead, and by nothing when there are no more', async () => {
    const stdin = new PassThrough();
    let shown = '';
    const stdout = { isTTY: true, write: (text: string) => (shown += text) };
    using questions = openQuestions(Object({ stdin, stdout, env: {} }) as Terminal);
    const { signal } = new AbortController();
    stdin.write(' yes \nno\n');
    expect(await questions.ask('one? ', signal)).toBe('yes');
    expect(await questions.ask('two? ', signal)).toBe('no');
    const third = questions.ask('three? ', signal);
    stdin.end('last');
    expect(await third).toBe('last');
    expect(await questions.ask('four? ', signal)).toBe('');
    expect(shown).toBe('one? two? three? four? \n');
  });

  it('end with the reason of the signal', async () => {
    const controller = new AbortController();
    const stdout = { isTTY: true, write: () => true };
    using questions = openQuestions(Object({ stdin: new PassThrough(), stdout, env: {} }) as Terminal);
    const answer = questions.ask('one? ', controller.signal);
    controller.abort(new AppError('interrupted', 'Interrupted by Ctrl-C.'));
    await expect(answer).rejects.toMatchObject({ code: 'interrupted' });
  });
});
