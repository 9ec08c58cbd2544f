import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openHistory } from '../../src/cli/repl/history.js';

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
});
