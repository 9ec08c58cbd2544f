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

beforeAll(() => void process.on('worker', note));
afterAll(() => void process.off('worker', note));

describe('a model whose threads die, whatever ends them', () => {
  it('is given up past the intensity, and others go on', async () => {
    await using engine = await createEngine({ threads: 1 });
    const model = await engine.load('demo');
    const engineThread = workers[0] as Worker;
    const other = await engine.load('demo');

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
    const begin = performance.now();
    await expect(model.chat(OSLO)).rejects.toMatchObject({ code: 'engine_restarted' });
    await expect(model.stream(OSLO)[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'engine_restarted' });
    await expect(model.forward([1, 2])).rejects.toMatchObject({ code: 'engine_restarted' });
    await expect(model.renderChat(OSLO.messages)).rejects.toMatchObject({ code: 'engine_restarted' });
    expect(performance.now() - begin).toBeLessThan(1_000);

    expect((await other.chat(OSLO)).choices[0]?.message.content).toContain('Oslo');
    await model[Symbol.asyncDispose]();
    expect(engine.ready).toBe(true);
    await using again = await engine.load('demo');
    expect((await again.chat(OSLO)).choices[0]?.message.content).toContain('Oslo');
  });
});
