// What `run` and `serve` print in windows of several widths, without colours, and in a pipe: word for word.
// `npx vitest run dist/test/e2e/terminal-dialogues.test.js --update` records it anew, to be looked at.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoRepository } from '../models/pull/support.js';
import { startHub, type TestHub } from '../support/hub/test-hub.js';
import { openSession } from './command-session.js';
import { ESCAPE, goldenSession, seenText, settleSession, shownCommand } from './golden-sessions.js';
import { createTemporaryDirectory, ended, hasPty, startCli } from './processes.js';
import { runHere } from './run-here.js';

/** Five command lines one after the other. */
const SESSION_MS = 240_000;
const QUESTION = 'What is 12 + 30?';
let hub: TestHub;
beforeAll(async () => {
  hub = await startHub([demoRepository('org/demo-chat')]);
});
afterAll(() => hub[Symbol.asyncDispose]());

const greedy = ['--temperature', '0'];
const oneQuestion = [
  ['run', 'demo', ...greedy, QUESTION],
  ['run', 'org/demo-chat', ...greedy, '--verbose', QUESTION],
  ['run', 'org/none', QUESTION],
] as const;
const dialogue = ['run', 'demo', ...greedy];
const typed = [QUESTION, '/stats', '/show', '/nonsense', '/help', '/retry'];
const serve = ['serve', '--http', '--port', '0'];
/** Where the engine runs changes nothing of what is printed, and starting threads is half of a command's work. */
const inline = ['--placement', 'inline'];

/** A request that has a model pulled, and one for a model that is nowhere. */
async function ask(text: string): Promise<void> {
  const url = /listening on (\S+)/.exec(text)?.[1] ?? expect.fail('it says where it listens');
  const statuses: number[] = [];
  for (const model of ['org/demo-chat', 'nothing']) {
    const body = JSON.stringify({ model, temperature: 0, messages: [{ role: 'user', content: QUESTION }] });
    const headers = { 'content-type': 'application/json' };
    statuses.push((await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })).status);
  }
  expect(statuses).toEqual([200, 404]);
}

/** Lines that may be wider than the window: what is one word, a path or an address, and what a program reads. */
const isWhole = (row: string): boolean => /\/|^\{|^error: |^stopping: /.test(row);

// Node has no call for a pseudo-terminal, so these need Python.
describe.skipIf(!hasPty)('a dialogue on a terminal (skipped without python3, which opens it)', () => {
  /** All of it, each part in a home where nothing was pulled before. */
  async function sessionOf(
    columns: number,
    { engine = inline, env: more = {} }: { engine?: string[]; env?: Readonly<Record<string, string>> } = {},
  ): Promise<string> {
    const [home, fresh] = [createTemporaryDirectory(), createTemporaryDirectory()];
    const options = { columns, env: { HF_ENDPOINT: hub.url, HF_HUB_OFFLINE: '', ...more } };
    const inHome = [...oneQuestion, dialogue].map((args) => ({ args: [...args, ...engine], home: home.path }));
    const lines = [...inHome, { args: serve, home: fresh.path }];
    const { screen, next } = openSession(lines, options);
    let session = '';
    const keep = async (line: readonly string[]): Promise<void> => {
      const { text: shown, status } = await next();
      const seen = seenText(shown).replaceAll(new RegExp(`${ESCAPE}\\[(?:2|22)m`, 'g'), '');
      // Faint letters are all there is of colours.
      expect(seen).not.toContain(ESCAPE);
      for (const row of seen.split('\n').filter((each) => !isWhole(each))) {
        expect(row.length, row).toBeLessThanOrEqual(columns);
      }
      const text = settleSession(shown, home.path);
      session += `${shownCommand(line, home.path)}${text}${status === 0 ? '' : `exit ${status}\n`}\n`;
    };
    try {
      for (const line of oneQuestion) await keep(line);
      for (const message of typed) {
        await screen.see('>>> ');
        screen.type(`${message}\r`);
      }
      await screen.see('>>> ');
      screen.type('\x04');
      await keep(dialogue);
      await screen.see('Ctrl-C stops.');
      await ask(screen.text());
      await screen.see('404');
      screen.type('\x03');
      await screen.see('stopping');
      await keep(serve);
      expect(await screen.end()).toBe(0);
    } finally {
      home.remove();
      fresh.remove();
    }
    return settleSession(session, fresh.path);
  }

  it.each([60, 80, 200])(
    'of %d columns',
    async (columns) => {
      const session = await sessionOf(columns, columns === 80 ? { engine: [] } : {});
      await expect(session).toMatchFileSnapshot(goldenSession(`dialogues-${columns}`));
    },
    SESSION_MS,
  );

  it(
    'of 80 columns under NO_COLOR',
    async () => {
      const session = await sessionOf(80, { env: { NO_COLOR: '1' } });
      expect(session).not.toContain(ESCAPE);
      const faint = new RegExp(`${ESCAPE}\\[(?:2|22)m`, 'g');
      expect(session).toBe(readFileSync(goldenSession('dialogues-80'), 'utf8').replaceAll(faint, ''));
    },
    SESSION_MS,
  );
});

describe('a dialogue without a terminal', () => {
  it(
    'has answers alone on standard output, and a log for programs on standard error',
    async () => {
      const [home, fresh] = [createTemporaryDirectory(), createTemporaryDirectory()];
      const env = { HF_ENDPOINT: hub.url, HF_HUB_OFFLINE: '' };
      let session = '';
      const keep = (line: readonly string[], code: number | null, out: string, err: string): void => {
        const parts = [out, err === '' ? '' : `standard error:\n${err}`, code === 0 ? '' : `exit ${code}\n`];
        session += `${shownCommand(line, home.path)}${parts.join('')}\n`;
      };
      try {
        for (const line of oneQuestion) {
          const { code, stdout, stderr } = await runHere([...line, ...inline], home.path, '', { env });
          keep(line, code, stdout, stderr);
        }
        const piped = await runHere([...dialogue, ...inline], home.path, QUESTION, { env });
        keep(dialogue, piped.code, piped.stdout, piped.stderr);
        const child = startCli(serve, fresh.path, { env });
        let [out, err] = ['', ''];
        child.stderr?.on('data', (piece: Buffer) => (err += piece.toString()));
        child.stdout?.on('data', (piece: Buffer) => (out += piece.toString()));
        await once(createInterface(child.stdout ?? expect.fail('a pipe')), 'line');
        await ask(out);
        child.kill('SIGTERM');
        keep(serve, await ended(child), out, err);
      } finally {
        home.remove();
        fresh.remove();
      }
      expect(session).not.toContain(ESCAPE);
      const settled = settleSession(settleSession(session, home.path), fresh.path);
      await expect(settled).toMatchFileSnapshot(goldenSession('dialogues-pipe'));
    },
    SESSION_MS,
  );
});
