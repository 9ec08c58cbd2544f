// What the commands of the models directory print in windows of several widths, without colours, and in a pipe: word for word.
// `npx vitest run dist/test/e2e/terminal-sessions.test.js --update` records it anew, to be looked at.
import { cpSync, mkdirSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/index.js';
import { openSession } from './command-session.js';
import { ESCAPE, goldenSession, settleSession, shownCommand } from './golden-sessions.js';
import { createTemporaryDirectory, hasPty, openScreen, type ScreenOptions } from './processes.js';
import { runHere } from './run-here.js';

const home = createTemporaryDirectory();
const models = join(home.path, '.troupe', 'models');
afterAll(home.remove);

beforeAll(async () => {
  const store = openStore(models);
  const fromDemo = ({ artifact }: { readonly artifact: string }): Promise<void> => {
    cpSync('dist/demo', artifact, { recursive: true });
    return Promise.resolve();
  };
  // So long that what a narrow window leaves out does not depend on how long ago the demo was built.
  const long = 'organisation/A-Model-With-A-Long-Name-0.5B-Instruct-GGUF';
  const about = { revision: '0123456789abcdef0123456789abcdef01234567', license: 'apache-2.0' };
  await store.place({ repo: long, quant: 'Q4_K_M', ...about }, fromDemo);
  cpSync(join(process.cwd(), 'test/vectors/gguf/llama-q4_0.gguf'), join(models, 'tiny.gguf'));
  const [{ path } = { path: '' }] = await store.list();
  for (const file of [join(path, 'manifest.json'), join(models, 'tiny.gguf')])
    utimesSync(file, 1_760_000_000, 1_760_000_000);
  mkdirSync(join(home.path, '.cache'), { recursive: true });
});

const lines = [
  ['list'],
  ['show', 'organisation/A-Model-With-A-Long-Name-0.5B-Instruct-GGUF'],
  ['show', 'tiny', '--tensors'],
  ['import', join(process.cwd(), 'test/vectors/gguf/llama-q4_0.gguf'), '--name', 'mine'],
  ['cp', 'mine', 'yours'],
  ['rm', 'mine', 'yours'],
  ['df'],
  ['show', 'tyni'],
  ['rm', '--help'],
] as const satisfies readonly (readonly string[])[];

const settle = (text: string): string => settleSession(text, home.path);
const shown = (line: readonly string[]): string => shownCommand(line, home.path);
/** Whether its table has room for a path depends on how long that is here. */
const inWindows = lines.filter(([name]) => name !== 'df');

// Node has no call for a pseudo-terminal, so these need Python.
describe.skipIf(!hasPty)('a session on a terminal (skipped without python3, which opens it)', () => {
  const sessionOf = async (
    asked: readonly (readonly string[])[],
    options: ScreenOptions & { columns: number },
  ): Promise<string> => {
    let session = '';
    const { screen, next } = openSession(
      asked.map((args) => ({ args, home: home.path })),
      options,
    );
    for (const line of asked) {
      const { text: shownText, status } = await next();
      const text = settle(shownText);
      session += `${shown(line)}${text}${status === 0 ? '' : `exit ${status}\n`}\n`;
      // Paths, errors and what else is one word stay whole, so that they can be copied.
      for (const each of text.split('\n').filter((row) => !/^error: |^removed |\/|^ +\S+ +\S+$/.test(row))) {
        expect(each.length).toBeLessThanOrEqual(options.columns);
      }
      expect(text).not.toContain(ESCAPE);
    }
    expect(await screen.end()).toBe(0);
    return session;
  };

  it.each([60, 80, 200])('of %d columns', async (columns) => {
    await expect(await sessionOf(inWindows, { columns })).toMatchFileSnapshot(goldenSession(`models-${columns}`));
  });

  it('of 80 columns under NO_COLOR is the same', async () => {
    const session = await sessionOf(lines.slice(0, 2), { columns: 80, env: { NO_COLOR: '1' } });
    expect(readFileSync(goldenSession('models-80'), 'utf8').startsWith(session)).toBe(true);
  });

  it('without arguments offers what one can do, and does it', async () => {
    const screen = openScreen([], home.path, { columns: 80 });
    await screen.see('Troupe');
    await screen.see('native-engine run demo');
    await screen.see('Choose 1-');
    screen.type('nonsense\r');
    await screen.see('There is no "nonsense".');
    screen.type('2\r');
    await screen.see('tiny.gguf');
    expect(await screen.end()).toBe(0);
  });

  it('without arguments ends with an empty line, or with Ctrl-C', async () => {
    const [left, stopped] = [openScreen([], home.path), openScreen([], home.path)];
    for (const screen of [left, stopped]) await screen.see('leave: ');
    left.type('\r');
    stopped.type('\x03');
    expect([await left.end(), await stopped.end()]).toEqual([0, 130]);
  });
});

describe('a session without a terminal', () => {
  it('prints the same, as wide as it is', async () => {
    let session = '';
    for (const line of lines) {
      const { code, stdout, stderr } = await runHere(line, home.path);
      session += `${shown(line)}${stdout}${stderr}${code === 0 ? '' : `exit ${code}\n`}\n`;
    }
    expect(session).not.toContain(ESCAPE);
    await expect(settle(session)).toMatchFileSnapshot(goldenSession('models-pipe'));
  });

  it('without arguments prints the help of all commands', async () => {
    const { code, stdout } = await runHere([], home.path);
    expect([code, stdout]).toEqual([0, expect.stringContaining('First command') as string]);
  });
});
