import { beforeAll, describe, expect, it } from 'vitest';
import { EngineCore, type EngineStats } from '../../src/engine/engine.js';
import type { SampleRule } from '../../src/compute/index.js';
import type { GenerateRequest } from '../../src/engine/request.js';
import type { StepOutput } from '../../src/engine/step-output.js';
import type { ConstraintSpec } from '../../src/grammar/index.js';
import { createTinyModel, type TinyModel } from '../support/tiny-model.js';
import { createMasksByHand, type MasksByHand } from './masks-by-hand.js';
import { grammarSpecs, hostileSpec, openTexts, TAGS } from './text-vocabulary.js';

const LIMITS = { maxRows: 64, chunkRows: 64, maxSequences: 16, maxWaiting: 32 };

/** What came of one run. */
interface Run {
  /** Tokens of each sequence, with the steps in which they came. */
  readonly tokens: number[][];
  readonly steps: number[][];
  readonly errors: (string | undefined)[];
  readonly stats: EngineStats;
}

describe('masks that are made beside the steps', () => {
  let model: TinyModel;

  beforeAll(async () => {
    model = await createTinyModel();
  });

  function request(seed: number, constraint?: ConstraintSpec): GenerateRequest {
    const sampling = { temperature: 1.2, seed };
    const base = { promptTokenIds: [5, 9, 9, 40, 9, 9, 40, 9], maxTokens: 50, sampling, ignoreStop: false };
    return { ...base, stopTokenIds: [TAGS.end], ...(constraint && { constraint }) };
  }

  /** Runs requests together. `onRun` is called when the device begins a step, `onLook` when the engine asks what was made. */
  function run(
    requests: readonly GenerateRequest[],
    onRun: (masks: MasksByHand) => void,
    onLook?: (masks: MasksByHand, step: number) => void,
  ): Run {
    const { contextLength, vocabSize } = model.config;
    let step = 0;
    const masks = createMasksByHand(vocabSize, (made) => onLook?.(made, step));
    const { device } = model;
    const beside = {
      ...device,
      capacity: device.capacity,
      row: device.row,
      hostThreads: device.hostThreads,
      run: (batch: Parameters<typeof device.run>[0]) => {
        onRun(masks);
        device.run(batch);
      },
      copyBlock: (from: number, to: number) => device.copyBlock(from, to),
      logits: (index: number) => device.logits(index),
      sample: (index: number, rule: SampleRule) => device.sample(index, rule),
      hidden: (row: number) => device.hidden(row),
    };
    const vocabulary = openTexts(vocabSize, masks);
    const engine = new EngineCore(beside, { contextLength, vocabSize, vocabulary, masks, limits: LIMITS });
    requests.forEach((one, id) => engine.add(id, one, []));
    const found: Run = {
      tokens: requests.map(() => []),
      steps: requests.map(() => []),
      errors: requests.map(() => undefined),
      stats: engine.stats,
    };
    for (; engine.hasWork; step++) {
      if (step > 20_000) throw new Error('the sequences do not end');
      const outputs: StepOutput[] = [];
      engine.step(outputs);
      for (const { sequenceId, tokenId, error } of outputs) {
        if (error !== undefined) found.errors[sequenceId] = error.code;
        if (tokenId === undefined) continue;
        found.tokens[sequenceId]?.push(tokenId);
        found.steps[sequenceId]?.push(step);
      }
    }
    return { ...found, stats: engine.stats };
  }

  const work = (masks: MasksByHand): void => void masks.work();

  it('are all ordered before the step whose logits they are for, with drafts and without', () => {
    for (const [index, spec] of grammarSpecs.entries()) {
      const alone = run([request(index, spec)], work);
      const crowd = run(
        [0, 1, 2, 3].map((seed) => request(seed, { ...spec, skipsForced: seed % 2 === 0 })),
        work,
      );
      for (const { stats, errors } of [alone, crowd]) {
        expect(stats.masked).toBeGreaterThan(3);
        expect({ ...errors, late: stats.lateMasks, held: stats.heldMasks }).toMatchObject({ late: 0, held: 0 });
      }
    }
  });

  it('leave only their own sequence out while they do not come', () => {
    const spec = grammarSpecs[0] as ConstraintSpec;
    const [never, others] = [request(1, spec), [request(2), request(3), request(4)]];
    const undisturbed = run(others, work);
    // Nothing is made until the others are through; then one look in ten finds a mask.
    const last = Math.max(...undisturbed.steps.flat());
    const late = run(
      [...others, never],
      () => {},
      (masks, step) => void (step > last && step % 10 === 0 && masks.work(1)),
    );
    expect(late.tokens.slice(0, 3)).toEqual(undisturbed.tokens);
    expect(late.steps.slice(0, 3)).toEqual(undisturbed.steps);
    expect(late.tokens[3]).toEqual(run([never], work).tokens[0]);
    expect(late.stats.heldMasks).toBeGreaterThan(3);
    expect(late.stats.blocks).toBe(late.stats.freeBlocks);
  });

  it('end the answer by name where they take too much, and no other', () => {
    const { tokens, errors } = run(
      [request(1), request(2, hostileSpec), request(3, grammarSpecs[0])],
      () => {},
      (masks) => void masks.work(1),
    );
    expect(errors).toEqual([undefined, 'grammar_too_slow', undefined]);
    expect([tokens[0], tokens[2]]).toEqual([
      run([request(1)], work).tokens[0],
      run([request(3, grammarSpecs[0])], work).tokens[0],
    ]);
  });
});
