import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createTemporaryDirectory, ended, ENTRY, hasPty, openScreen, runCli, startCli } from './processes.js';
import { runHere } from './run-here.js';

const home = createTemporaryDirectory();
afterAll(home.remove);

const greedy = ['run', 'demo', '--temperature', '0'];
/** Where the engine runs changes nothing of what a command reads and prints, and starting threads is half of its work. */
const inline = [...greedy, '--placement', 'inline'];

describe('native-engine run with a prompt', () => {
  it('prints the answer alone on standard output and ends', async () => {
    const { code, stdout, stderr } = await runCli([...greedy, 'What is the capital of Norway?'], home.path);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'The capital of Norway is Oslo.\n', stderr: '' });
  });

  it('takes the prompt from a pipe', async () => {
    const { code, stdout } = await runHere(inline, home.path, 'What is 12 + 30?\n');
    expect(code).toBe(0);
    expect(stdout).toContain('42');
  });

  it('takes a prompt argument and a piped text together, the text behind an empty line', async () => {
    const tokens = async (args: string[], stdin: string | Buffer): Promise<[string, number]> => {
      const { code, stdout, stderr } = await runHere([...inline, '--verbose', ...args], home.path, stdin);
      expect(code).toBe(0);
      return [stdout, Number(/(\d+) prompt/.exec(stderr)?.[1])];
    };
    const together = await tokens(['What is 12 + 30?\n\nMy name is Clara.'], '');
    expect(await tokens(['What is 12 + 30?'], '\ufeffMy name is Clara.\n')).toEqual(together);
    expect(await tokens(['-'], 'What is 12 + 30?\n\nMy name is Clara.')).toEqual(together);
    const alone = await tokens(['What is 12 + 30?'], ' \n');
    expect(alone[1]).toBeLessThan(together[1]);
  });

  it('says that a pipe is not at its end, and uses it when it is', async () => {
    // Node gives a child a socket, and a shell gives it a pipe.
    const child = spawn('sh', ['-c', 'cat | "$0" "$@"', process.execPath, ENTRY, ...inline, '--verbose', 'What is'], {
      env: { PATH: process.env['PATH'], HOME: home.path },
    });
    const texts = { stdout: '', stderr: '' };
    child.stdout.on('data', (piece: Buffer) => (texts.stdout += piece.toString()));
    child.stderr.on('data', (piece: Buffer) => (texts.stderr += piece.toString()));
    await expect.poll(() => texts.stderr).toContain('waiting for the end of standard input');
    child.stdin.end('12 + 30?\n');
    expect(await ended(child)).toBe(0);
    expect(texts.stdout).toBe('42\n');
  });

  it('follows a system prompt', async () => {
    const { stdout } = await runHere(
      [...inline, '--system', 'Answer in uppercase.', 'What is the capital of Norway?'],
      home.path,
    );
    expect(stdout).toContain('OSLO');
  });

  it('shows reasoning on standard error only when asked', async () => {
    const quiet = await runHere([...inline, '--think', 'Calculate 52 + 6.'], home.path);
    expect(quiet).toMatchObject({ code: 0, stdout: '58\n', stderr: '' });
    const verbose = await runHere([...inline, '--think', '--verbose', 'Calculate 52 + 6.'], home.path);
    expect(verbose.stdout).toBe('58\n');
    expect(verbose.stderr).toMatch(/2\+6=8[\s\S]*tokens\/s/);
  });

  it('gives the same answer for the same seed', async () => {
    const args = ['run', 'demo', '--temperature', '1', '--seed', '7', 'Tell me a story about a fox.'];
    const here = [...args, '--placement', 'inline'];
    const [first, second] = [await runHere(args, home.path), await runHere(here, home.path)];
    expect(first.code).toBe(0);
    expect(first.stdout).toBe(second.stdout);
  });

  it('says on standard error when --max-tokens cut the answer', async () => {
    const { code, stderr } = await runHere([...inline, '--max-tokens', '3', 'Tell me a story about a fox.'], home.path);
    expect(code).toBe(0);
    expect(stderr).toContain('--max-tokens');
  });

  it('ends quietly when its reader goes away', async () => {
    const child = startCli([...greedy, 'Tell me a story about a fox.'], home.path);
    let stderr = '';
    child.stderr?.on('data', (piece: Buffer) => (stderr += piece.toString()));
    child.stdout?.destroy();
    expect(await ended(child)).toBe(0);
    expect(stderr).toBe('');
  });

  it('stops at an interrupt with status 130', async () => {
    // The reference backend is slow: the story is still being told when the signal comes.
    const child = startCli([...greedy, '--backend', 'reference', 'Tell me a story about a fox.'], home.path);
    if (child.stdout) await once(child.stdout, 'data');
    child.kill('SIGINT');
    expect(await ended(child)).toBe(130);
  });
});

describe.skipIf(!hasPty)('native-engine run on a terminal', () => {
  it('talks over several turns and remembers them', async () => {
    const screen = openScreen(inline, home.path);
    await screen.see('>>> ');
    screen.type('What is the capital of Norway?\r');
    await screen.see('Oslo');
    await screen.see('>>> ');
    screen.type('/stats\r');
    await screen.see('tokens/s');
    screen.type('/hlep\r');
    await screen.see('Did you mean /help?');
    screen.type('/think\r');
    await screen.see('Thinking is on.');
    screen.type('Calculate 52 + 6.\r');
    await screen.see('\x1b[2m');
    await screen.see('58');
    await screen.see('>>> ');
    screen.type('\x04');
    expect(await screen.end()).toBe(0);
    expect(statSync(join(home.path, '.troupe', 'history')).mode & 0o777).toBe(0o600);
  });

  it('sends the lines between """ as one message', async () => {
    const screen = openScreen(inline, home.path);
    await screen.see('>>> ');
    screen.type('"""What is\r');
    await screen.see('... ');
    screen.type('12 + 30?"""\r');
    await screen.see('42');
    screen.type('/exit\r');
    expect(await screen.end()).toBe(0);
  });

  it('forgets the oldest turns with a note when the context is full, and stays sensible', async () => {
    const screen = openScreen(inline, home.path);
    for (let turn = 0; turn < 10; turn++) {
      await screen.see('>>> ');
      screen.type(`Tell me a story about ${['a fox', 'an owl', 'a bear', 'a mouse', 'a hedgehog'][turn % 5]}.\r`);
      await screen.see('Once upon a time');
    }
    await screen.see('>>> ');
    screen.type('What is the capital of Norway?\r');
    await screen.see('Oslo');
    screen.type('/bye\r');
    expect(await screen.end()).toBe(0);
    expect(screen.text()).toContain('forgot the oldest turn');
    expect(screen.text()).not.toContain('error:');
  });

  it('stops an answer at the first Ctrl-C, goes on, and leaves at two', async () => {
    const screen = openScreen([...greedy, '--backend', 'reference'], home.path);
    await screen.see('>>> ');
    screen.type('Tell me a story about a fox.\r');
    await screen.see('Once');
    screen.type('\x03');
    await screen.see('(stopped; /retry asks again)');
    await screen.see('>>> ');
    screen.type('What is 12 + 30?\r');
    await screen.see('42');
    await screen.see('>>> ');
    screen.type('\x03');
    await screen.see('leaves)');
    screen.type('\x03');
    expect(await screen.end()).toBe(130);
  });

  it('that was killed in the middle of an answer leaves a history that the next session reads', async () => {
    const screen = openScreen([...greedy, '--backend', 'reference'], home.path);
    await screen.see('>>> ');
    screen.type('Tell me a story about an otter.\r');
    await screen.see('Once');
    screen.kill();
    const next = openScreen(inline, home.path);
    await next.see('>>> ');
    // Arrow up brings the last line back.
    next.type('\x1b[A');
    await next.see('Tell me a story about an otter.');
    next.type('\r');
    await next.see('Once');
    await next.see('>>> ');
    next.type('\x04');
    expect(await next.end()).toBe(0);
  });
});
