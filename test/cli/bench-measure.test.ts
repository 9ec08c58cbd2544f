import { expect, it } from 'vitest';
import { measure } from '../../src/bin/native-engine/bench/bench-measure.js';
import { createEngine, type Engine } from '../../src/index.js';
import { demoDirectory } from '../../src/models/index.js';

it('a bench measures decode in an engine that guesses nothing, and guesses in one of its own', async () => {
  const asked: boolean[] = [];
  const drafted: (number | undefined)[] = [];
  /** An engine that tells at its end how many tokens of the model it has guessed. */
  const open = async ({ speculation }: { readonly speculation: boolean }): Promise<Engine> => {
    asked.push(speculation);
    const engine = await createEngine({ placement: 'inline', speculation });
    const load = async (name: string): Promise<Awaited<ReturnType<Engine['load']>>> => {
      const model = await engine.load(name);
      const end = model[Symbol.asyncDispose].bind(model);
      return Object.assign(Object.create(model), {
        [Symbol.asyncDispose]: async (): Promise<void> => {
          drafted.push((await model.stats())?.drafted);
          await end();
        },
      });
    };
    return Object.assign(Object.create(engine), { load, [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose]() });
  };
  const plan = { promptTokens: 32, genTokens: 64, repeats: 2, placement: 'inline', kvCache: 'auto' };
  const model = { name: 'demo', path: demoDirectory(), quant: 'q8' };
  const result = await measure(open, model, plan, new AbortController().signal);
  expect(asked).toEqual([false, true]);
  expect(drafted[0]).toBe(0);
  expect(result.decodeRuns).toHaveLength(2);
  expect(result.speculativeRuns).toHaveLength(2);
  // Whether a guess is worth its cost depends on the machine.
  if (drafted[1] === 0) expect(result.speculationAcceptanceRate).toBeNull();
  else expect(result.speculationAcceptanceRate).toBeLessThanOrEqual(1);
  expect(result.streamTokensPerSecond).toBeGreaterThan(0);
  expect(result.speculativeStreamTokensPerSecond).toBeGreaterThan(0);
});
