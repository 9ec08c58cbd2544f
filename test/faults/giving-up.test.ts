import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngine } from '../../src/index.js';

const OSLO = { messages: [{ role: 'user' as const, content: 'What is the capital of Norway?' }], temperature: 0 };
const STORY = { promptTokenIds: [1, 2, 3], maxTokens: 900, ignoreStop: true };

/** Threads of this process in the order in which they were made: Node tells of each. */
const workers: Worker[] = [];
let areDoomed = false;

function note(worker: Worker): void {
  workers.push(worker);
  if (areDoomed) worker.on('online', () => void worker.terminate());
}

const copy = mkdtempSync(join(tmpdir(), 'giving-up-'));

beforeAll(() => {
  process.on('worker', note);
  cpSync(join(process.cwd(), 'dist/demo'), copy, { recursive: true });
});
afterAll(() => {
  process.off('worker', note);
  rmSync(copy, { recursive: true, force: true });
});

describe('a model whose threads die, whatever ends them', () => {
  it('is given up past the intensity, others go on, and the next call loads it anew', async () => {
    await using engine = await createEngine({ threads: 1 });
    const model = await engine.load('demo');
    // The first makes masks.
    const engineThread = workers[1] as Worker;
    const other = await engine.load(copy);

    const generating = (async () => {
      for await (const _ of model.generate(STORY));
    })();
    areDoomed = true;
    const dead = engineThread.terminate();
    const scoring = model.forward([1, 2, 3]);
    await Promise.all([
      dead,
      expect(generating).rejects.toMatchObject({ code: 'engine_restarted' }),
      expect(scoring).rejects.toMatchObject({ code: 'engine_restarted' }),
    ]);
    areDoomed = false;

    expect(engine.ready).toBe(false);
    expect(engine.tree().children.map(({ state }) => state)).toEqual(['escalated', 'running']);

    expect((await other.chat(OSLO)).choices[0]?.message.content).toContain('Oslo');
    expect(engine.ready).toBe(false);
    const answers = await Promise.all([model.chat(OSLO), model.chat(OSLO)]);
    for (const { choices } of answers) expect(choices[0]?.message.content).toContain('Oslo');
    expect(engine.ready).toBe(true);
    expect(engine.tree().children.map(({ state }) => state)).toEqual(['running', 'running']);
  });
});
