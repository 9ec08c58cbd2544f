// The REPL as a person has it: on a pseudo-terminal, with windows that change, pastes, and output that goes elsewhere.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createTemporaryDirectory, hasPty, openScreen } from './processes.js';

const homes = Array.from({ length: 8 }, createTemporaryDirectory);
afterAll(() => homes.forEach((home) => home.remove()));
const homeOf = (i: number): string => homes[i]?.path ?? '';

const greedy = ['run', 'demo', '--temperature', '0'];
/** Where the engine runs changes nothing of what is shown between answers, and starting threads is half of a start. */
const inline = [...greedy, '--placement', 'inline'];
/** Slow enough that an answer is still coming when the next key does. */
const slow = [...greedy, '--backend', 'reference'];
const ESCAPE = '\x1b';
const paste = (text: string): string => `\x1b[200~${text}\x1b[201~`;

// Node has no call for a pseudo-terminal, so these need Python.
describe.skipIf(!hasPty)('the REPL on a terminal (skipped without python3, which opens it)', () => {
  it('draws nothing in an answer when the window changes, nor what is typed meanwhile, which waits for the prompt', async () => {
    const screen = openScreen(slow, homeOf(0));
    await screen.see('>>> ');
    screen.type('Tell me a story.\r');
    await screen.see('Once upon');
    const start = screen.text().length;
    screen.resize(60);
    screen.type('What is 12 + 30?');
    screen.resize(80);
    await screen.see('The end.');
    const during = screen.text().slice(start, screen.text().lastIndexOf('The end.'));
    expect(during).not.toContain('>>>');
    expect(during).not.toContain('12 + 30');
    expect(during).not.toContain(ESCAPE);
    await screen.see('What is 12 + 30?');
    screen.type('\r');
    await screen.see('42');
    screen.type('\x04');
    expect(await screen.end()).toBe(0);
  });

  it('stops an answer, says what became of it, and asks it again', async () => {
    const screen = openScreen(slow, homeOf(1));
    await screen.see('>>> ');
    screen.type('Tell me a story.\r');
    await screen.see('Once');
    screen.type('thrown away\x03');
    await screen.see('(stopped; /retry asks again)');
    await screen.see('(the conversation continues without this question)');
    await screen.see('>>> ');
    screen.type('/stats\r');
    await screen.see('The last question has no whole answer.');
    screen.type('/show\r');
    await screen.see('turns: 0');
    screen.type('/retry\r');
    await screen.see('Once');
    screen.type('\x03');
    await screen.see('(stopped;');
    await screen.see('>>> ');
    screen.type('/exit\r');
    expect(await screen.end()).toBe(0);
    expect(screen.text()).not.toContain('thrown away');
  });

  it('keeps a pasted message and a fenced one whole, in the next session too', async () => {
    const screen = openScreen(inline, homeOf(2));
    await screen.see('>>> ');
    screen.type(paste('What is\r12 + 30?'));
    await screen.see('12 + 30?');
    screen.type('\r');
    await screen.see('42');
    await screen.see('>>> ');
    screen.type('"""\r');
    await screen.see('... ');
    screen.type('/etc is a path.\r');
    await screen.see('... ');
    screen.type('What is 5 + 6?"""\r');
    await screen.see('>>> ');
    screen.type('/show\r');
    await screen.see('turns: 2');
    await screen.see('>>> ');
    screen.type('\x04');
    expect(await screen.end()).toBe(0);
    const file = readFileSync(join(homeOf(2), '.troupe', 'history'), 'utf8');
    const fenced = '"""\n/etc is a path.\nWhat is 5 + 6?"""';
    expect(file).toBe(`${JSON.stringify('What is\n12 + 30?')}\n${JSON.stringify(fenced)}\n/show\n`);

    const next = openScreen(inline, homeOf(2));
    await next.see('>>> ');
    next.type('\x1b[A\x1b[A');
    await next.see('What is 5 + 6?"""');
    next.type('\x03');
    await next.see('^C');
    await next.see('>>> ');
    next.type('What\x1b[A');
    await next.see('12 + 30?');
    next.type('\r');
    await next.see('42');
    next.type('\x04');
    expect(await next.end()).toBe(0);
  });

  it('completes commands and names with Tab, checks values as the options do, and suggests', async () => {
    const screen = openScreen(inline, homeOf(3));
    await screen.see('>>> ');
    screen.type('/sh\t\r');
    await screen.see('seed: random');
    screen.type('/set temp\t2.5\r');
    await screen.see('temperature is "2.5", but must be a number from 0 to 2.');
    screen.type('/set top_k 1.5\r');
    await screen.see('top_k is "1.5", but must be a whole number from -1 to 2147483647.');
    screen.type('/set max-tokens 3\r');
    await screen.see('max_tokens is 3');
    screen.type('/set verbos\r');
    await screen.see('Did you mean verbose?');
    screen.type('/set verbose yes\r');
    await screen.see('takes no value, but was given "yes"');
    screen.type('/clear it\r');
    await screen.see('/clear takes nothing, but was given "it".');
    screen.type('/clera\r');
    await screen.see('Did you mean /clear?');
    screen.type('/s\t');
    await screen.see('/system /set /show /save /stats');
    screen.type('\x15Tell me a story.\r');
    await screen.see('(the answer was cut: --max-tokens or /set max_tokens is 3)');
    screen.type('\x04');
    expect(await screen.end()).toBe(0);
  });

  it('says with numbers why it forgot a turn, and has forgotten it', async () => {
    const screen = openScreen([...inline, '--max-tokens', '1'], homeOf(4));
    const long = 'word '.repeat(470);
    await screen.see('>>> ');
    screen.type(`${long}one\r`);
    await screen.see('is 1)');
    await screen.see('>>> ');
    screen.type('/set max_tokens 100\r');
    await screen.see('100');
    await screen.see('>>> ');
    screen.type(`${paste(`${long}two Tell me a story.`)}\r`);
    await screen.see('(forgot the oldest turn: the prompt had ');
    // Lines break at words.
    await screen.see(' tokens, and 100 of the context of 1024 are kept for the');
    await screen.see('answer)');
    await screen.see('>>> ');
    screen.type('/show\r');
    await screen.see('turns: 1');
    screen.type('\x04');
    expect(await screen.end()).toBe(0);
    const tokens = Number(/the prompt had (\d+) tokens/.exec(screen.text())?.[1]);
    expect(tokens).toBeGreaterThan(924);
  });

  it('writes a conversation into a file without an escape sequence, while its prompt is on the screen', async () => {
    const stdoutFile = join(homeOf(5), 'out.txt');
    const screen = openScreen([...inline, '--think'], homeOf(5), { stdoutFile });
    await screen.see('>>> ');
    screen.type('What is 12 + 30?\x1b[D\x1b[C\r');
    await screen.see('>>> ');
    screen.type('/stats\r');
    await screen.see('tokens/s');
    screen.type('\x04');
    expect(await screen.end()).toBe(0);
    expect(readFileSync(stdoutFile, 'utf8')).toBe('42\n');
  });

  it('sends no escape sequence to a dumb terminal, on which everything else works', async () => {
    const screen = openScreen(slow, homeOf(6), { env: { TERM: 'dumb' } });
    await screen.see('>>> ');
    screen.type('What is 12 + 30?\r');
    await screen.see('42');
    await screen.see('>>> ');
    screen.type('/think\r');
    await screen.see('Thinking is on.');
    screen.type('Calculate 52 + 6.\r');
    await screen.see('58');
    await screen.see('>>> ');
    screen.type('/nothink\r');
    await screen.see('off.');
    screen.type('Tell me a story.\r');
    await screen.see('Once');
    screen.type('\x03');
    await screen.see('(stopped;');
    await screen.see('>>> ');
    screen.type('\x03');
    await screen.see('leaves)');
    screen.type('\x03');
    expect(await screen.end()).toBe(130);
    expect(screen.text()).not.toContain(ESCAPE);
  });

  it('colours nothing under NO_COLOR, and works without a place for its history', async () => {
    const home = join(homeOf(7), 'no-directory');
    writeFileSync(home, '');
    const screen = openScreen(inline, home, { env: { NO_COLOR: '1' } });
    await screen.see('>>> ');
    screen.type('What is 12 + 30?\r');
    await screen.see('42');
    await screen.see('>>> ');
    screen.type('\x1b[A\r');
    await screen.see('42');
    screen.type('\x04');
    expect(await screen.end()).toBe(0);
    expect(screen.text()).not.toContain('\x1b[2m');
  });
});
