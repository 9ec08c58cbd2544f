import { describe, expect, it } from 'vitest';
import { createEngine, type Model } from '../../src/index.js';

const TOKENS = 600;

/** Generates, and after the first token calls `pause`; the ids, and milliseconds from the end of the pause to the last. */
async function generate(model: Model, pause: () => void): Promise<{ ids: number[]; afterPauseMs: number }> {
  const ids: number[] = [];
  let resumedMs = 0;
  const request = { promptTokenIds: [5, 6, 7], maxTokens: TOKENS, temperature: 0, ignoreStop: true };
  for await (const id of model.generate(request)) {
    ids.push(id);
    if (ids.length > 1) continue;
    pause();
    resumedMs = performance.now();
  }
  return { ids, afterPauseMs: performance.now() - resumedMs };
}

/** Blocks this thread, and leaves its core to others. */
function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

describe('a caller whose thread is blocked', () => {
  it('does not stall the engine: what was made meanwhile comes in one burst, the same tokens', async () => {
    await using engine = await createEngine({ speculation: false });
    const model = await engine.load('demo');
    await generate(model, () => {});
    const steady = await generate(model, () => {});
    // Far longer than the rest takes, so that a busy machine has time for it too.
    const blocked = await generate(model, () => sleep(Math.max(200, 5 * steady.afterPauseMs)));
    expect(blocked.ids).toEqual(steady.ids);
    expect(blocked.afterPauseMs).toBeLessThan(steady.afterPauseMs / 3);
  });

  it('finds the gauges of an engine that went on', async () => {
    await using engine = await createEngine({ speculation: false });
    const model = await engine.load('demo');
    const request = { promptTokenIds: [5, 6, 7], maxTokens: 900, temperature: 0, ignoreStop: true };
    for await (const _ of model.generate(request)) {
      sleep(1000);
      break;
    }
    // It worked for the last second, and no token was read.
    expect((await model.stats())?.tokensPerSecond).toBeGreaterThan(50);
  });
});
