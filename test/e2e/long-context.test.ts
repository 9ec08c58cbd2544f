import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { convertCheckpoint } from '../../src/convert/index.js';
import { createEngine } from '../../src/index.js';
import { createTemporaryDirectory, ended, runCli, startCli } from './processes.js';

const home = createTemporaryDirectory();
const models = join(home.path, 'models');
const long = join(models, 'long');
/** In which the demo has room for some thousand tokens beside its weights and activations. */
const BUDGET_BYTES = 64 * 2 ** 20;
const budget = ['--memory-budget', String(BUDGET_BYTES / 2 ** 30), '--threads', '1'];
const ask = ['run', long, 'What is 12 + 30?', '--temperature', '0', ...budget];
const NOTE =
  /context ([\d,]+) of 131,072 tokens: the KV cache of all would take 0\.\d GB; --ctx \(maxContext\) chooses another/;

/** The demo, declared for a context that the memory budget does not hold. */
beforeAll(async () => {
  const source = join(home.path, 'checkpoint');
  cpSync(join(process.cwd(), 'assets/demo'), source, { recursive: true });
  const path = join(source, 'config.json');
  const config = JSON.parse(readFileSync(path, 'utf8')) as object;
  writeFileSync(path, JSON.stringify({ ...config, max_position_embeddings: 131_072 }));
  await convertCheckpoint({ source, out: long });
});
afterAll(home.remove);

function chosenIn(text: string): number {
  return Number(NOTE.exec(text)?.[1]?.replaceAll(',', ''));
}

describe('a model whose context does not fit in the memory budget', () => {
  it('has a shorter one, and run says so in one line', async () => {
    const { code, stdout, stderr } = await runCli(ask, home.path);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '42\n' });
    expect(stderr).toMatch(new RegExp(`^\\(${NOTE.source}\\)\n$`));
    expect(chosenIn(stderr) % 1024).toBe(0);
    expect(chosenIn(stderr)).toBeGreaterThanOrEqual(4096);
    expect(chosenIn(stderr)).toBeLessThan(131_072);
  });

  it('has the one that --ctx chooses, without a line, or is refused where that does not fit', async () => {
    const verbose = await runCli([...ask, '--ctx', '3000', '--verbose'], home.path);
    expect(verbose.stderr).toMatch(/context \d+ of 3000/);
    expect(verbose.stderr).not.toMatch(NOTE);
    const { code, stderr } = await runCli([...ask, '--ctx', '131072'], home.path);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/needs \d+ bytes with a KV cache of one context.*a shorter maxContext \(--ctx\)/);
    expect(stderr).toMatch(/\ncode: out_of_memory\n$/);
  });

  it('is reported in the log of serve, once for each load, and in the library', async () => {
    const child = startCli(['serve', '--http', '--port', '0', '--models-dir', models, ...budget], home.path);
    if (child.stdout === null || child.stderr === null) throw new Error('a child with pipes');
    let log = '';
    child.stderr.on('data', (piece: Buffer) => (log += piece.toString()));
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    for (let i = 0; i < 2; i++) {
      const body = JSON.stringify({ model: 'long', max_tokens: 1, messages: [{ role: 'user', content: 'x' }] });
      const url = `${line.replace('listening on ', '')}/v1/chat/completions`;
      expect((await fetch(url, { method: 'POST', body })).status).toBe(200);
    }
    child.kill('SIGTERM');
    expect(await ended(child)).toBe(0);
    const lines = log.split('\n').filter((each) => each.includes('"load"'));
    expect(lines.map((each) => JSON.parse(each) as object)).toEqual([
      expect.objectContaining({
        event: 'load',
        model: 'long',
        notice: 'context',
        text: expect.stringMatching(NOTE) as string,
      }),
      expect.objectContaining({ event: 'load', model: 'long', notice: 'signature' }),
    ]);

    await using engine = await createEngine({ memoryBudgetBytes: BUDGET_BYTES, threads: 1 });
    await using model = await engine.load(long);
    expect(model.contextNote).toMatch(NOTE);
    expect(model.contextLength).toBe(chosenIn(model.contextNote ?? ''));
    expect(model.contextLength).toBe(chosenIn(log));
    expect(engine.models()[0]?.bytes).toBeLessThanOrEqual(BUDGET_BYTES);
  });

  it('has all of it where there is room', async () => {
    await using engine = await createEngine({ placement: 'inline' });
    await using model = await engine.load(long);
    expect(model).toMatchObject({ contextLength: 131_072, contextNote: undefined });
  });
});
