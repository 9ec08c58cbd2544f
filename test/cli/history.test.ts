import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openHistory, withNewest } from '../../src/bin/native-engine/repl/history.js';

const directory = mkdtempSync(join(tmpdir(), 'troupe-history-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('the history of the REPL', () => {
  it('is a file of its owner alone, also when it was open to all before', async () => {
    const path = join(directory, 'open');
    writeFileSync(path, 'old\n');
    chmodSync(path, 0o644);
    await (await openHistory(path)).append('new');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, 'utf8')).toBe('old\nnew\n');
  });

  it('gives the newest line first and keeps a thousand', async () => {
    const path = join(directory, 'long');
    writeFileSync(path, Array.from({ length: 1500 }, (_, i) => `line ${i}\n`).join(''));
    const { lines } = await openHistory(path);
    expect(lines).toHaveLength(1000);
    expect(lines[0]).toBe('line 1499');
  });

  it('writes nothing after it was turned off', async () => {
    const path = join(directory, 'off');
    const history = await openHistory(path);
    await history.append('kept');
    history.off();
    await history.append('secret');
    expect(readFileSync(path, 'utf8')).toBe('kept\n');
  });

  it('that cannot be written is no error', async () => {
    const history = await openHistory(join(directory, 'off', 'below-a-file'));
    await history.append('lost');
    expect(history.lines).toEqual([]);
  });

  it.each([
    ['several lines', 'a\n  b\n\nc'],
    ['quotes', '"hello"'],
    ['what looks like JSON', '"a\\nb"'],
    ['a lone quote', '"'],
    ['backslashes', 'C:\\new\\table'],
    ['a fence', '"""\na\n"""'],
  ])('brings back a message of %s as it was', async (what, message) => {
    const path = join(directory, `whole-${what}`);
    await (await openHistory(path)).append(message);
    const again = await openHistory(path);
    await again.append('next');
    expect((await openHistory(path)).lines).toEqual(['next', message]);
  });

  it('takes a line that is no JSON string as a message as it is', async () => {
    const path = join(directory, 'old');
    writeFileSync(path, 'one\nC:\\new "x"\n\n"half');
    expect((await openHistory(path)).lines).toEqual(['"half', 'C:\\new "x"', 'one']);
    await (await openHistory(path)).append('two');
    expect((await openHistory(path)).lines[0]).toBe('two');
  });

  it('has a message once, where it was last', async () => {
    const path = join(directory, 'twice');
    writeFileSync(path, 'a\nb\na\n');
    expect((await openHistory(path)).lines).toEqual(['a', 'b']);
    expect(withNewest(['a', 'b'], 'b')).toEqual(['b', 'a']);
    expect(withNewest(['a'], '  ')).toEqual(['a']);
  });

  it('does not write a message of more than 64 Ki characters, such as a pasted file', async () => {
    const path = join(directory, 'big');
    await (await openHistory(path)).append('x'.repeat(65_537));
    expect(readFileSync(path, 'utf8')).toBe('');
  });

  it('without a place is one of this session', async () => {
    const history = await openHistory(undefined);
    await history.append('lost');
    expect(history.lines).toEqual([]);
  });
});
