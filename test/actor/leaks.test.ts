import { actorKey } from '../../src/actor/index.js';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { WorkerBee } from './fixtures/worker-bee.js';
import { bee, tree } from './tree.js';

const script = fileURLToPath(new URL('./fixtures/exits.js', import.meta.url));

async function run(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...args], { timeout: 300_000 });
  return stdout.trim();
}

describe.each(['inline', 'thread', 'process'])('a process with an actor placed %s', (placement) => {
  it('ends by itself after stop(), with nothing left open', async () => {
    expect(await run('stopped', placement)).toBe('[]');
  });

  it('lives until a stop is done', async () => {
    expect(await run('stopping', placement)).toBe('stopped');
  });

  it('ends by itself when an idle tree was forgotten', async () => {
    expect(await run('forgotten', placement)).toBe('idle');
  });

  it('lives as long as a call is under way', async () => {
    expect(await run('waiting', placement)).toBe('deadline_exceeded');
  });
});

describe('a process that waits on a ring', () => {
  it('lives while the wait is held, and ends when it is not', async () => {
    expect(await run('ring')).toBe('true');
  });
});

describe('what callers drop', () => {
  it('closes a stream whose reader was dropped half-way', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const { supervisor } = await tree([bee({ placement: 'thread' })]);
    const ref = supervisor.ref(actorKey<WorkerBee>('bee'));
    const readOne = async (): Promise<void> => {
      await ref.numbers(1_000)[Symbol.asyncIterator]().next();
    };
    for (let i = 0; i < 20; i++) await readOne();
    expect(supervisor.tree().mailboxDepth).toBe(20);
    const end = performance.now() + 20_000;
    while (supervisor.tree().mailboxDepth > 0 && performance.now() < end) {
      collect();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(supervisor.tree().mailboxDepth).toBe(0);
    expect((await ref.counts()).closed).toBe(20);
    await supervisor.stop();
  });

  it('leaves no handle behind after thirty lives of a thread', async () => {
    const before = process.getActiveResourcesInfo().length;
    const { supervisor } = await tree([bee({ placement: 'thread' })]);
    for (let i = 0; i < 30; i++) await supervisor.restart('bee');
    expect(supervisor.tree().children[0]?.restarts).toBe(30);
    await supervisor.stop();
    expect(process.getActiveResourcesInfo().length).toBeLessThanOrEqual(before);
  });
});
