import { beforeAll, describe, expect, it } from 'vitest';
import { EngineCore } from '../../src/engine/engine.js';
import type { StepOutput } from '../../src/engine/step-output.js';
import type { GenerateRequest } from '../../src/engine/request.js';
import type { ConstraintSpec } from '../../src/grammar/index.js';
import { createTinyModel, type TinyModel } from '../support/tiny-model.js';

const LIMITS = { maxRows: 64, chunkRows: 64, maxSequences: 16, maxWaiting: 32 };
const PROMPT = [5, 9, 9, 40];

/** Pairs of a token below 40 and 150 151 152 153, up to the end after 30. */
const pairs: ConstraintSpec = {
  kind: 'automaton',
  skipsForced: true,
  states: [
    Array.from({ length: 40 }, (_, i) => [i, i === 30 ? 5 : 1]),
    [[150, 2]],
    [[151, 3]],
    [[152, 4]],
    [[153, 0]],
    [],
  ],
};

interface Run {
  readonly tokens: number[];
  readonly logprobs: (number | undefined)[];
  readonly end: string | undefined;
  readonly steps: number;
  readonly last: StepOutput | undefined;
}

describe('a constrained sequence', () => {
  let model: TinyModel;

  beforeAll(async () => {
    model = await createTinyModel();
  });

  function run(overrides: Partial<GenerateRequest>, emitted: readonly number[] = [], speculation = true): Run {
    const { contextLength, vocabSize } = model.config;
    const engine = new EngineCore(model.device, { contextLength, vocabSize, limits: LIMITS, speculation });
    const request: GenerateRequest = {
      promptTokenIds: PROMPT,
      maxTokens: 60,
      sampling: { temperature: 1, seed: 3 },
      stopTokenIds: [],
      ignoreStop: false,
      ...overrides,
    };
    engine.add(1, request, emitted);
    const outputs: StepOutput[] = [];
    let steps = 0;
    for (; engine.hasWork; steps++) engine.step(outputs);
    expect(engine.stats.freeBlocks).toBe(engine.stats.blocks);
    return {
      tokens: outputs.flatMap(({ tokenId }) => tokenId ?? []),
      logprobs: outputs.flatMap(({ tokenId, logprobs }) => (tokenId === undefined ? [] : [logprobs?.logprob])),
      end: outputs.at(-1)?.finishReason,
      steps,
      last: outputs.at(-1),
    };
  }

  it('has only tokens that the automaton allows', () => {
    const { tokens } = run({ constraint: pairs });
    const text = tokens.map((id) => (id < 40 ? 'x' : String(id))).join(' ');
    expect(text).toMatch(/^(x 150 151 152 153 ?)+/);
    expect(new Set(tokens).size).toBeGreaterThan(6);
  });

  it('has the same tokens whether forced ones are sampled or skipped, and needs fewer passes for skipped ones', () => {
    const skipped = run({ constraint: pairs }, [], false);
    const sampled = run({ constraint: { ...pairs, skipsForced: false } }, [], false);
    expect(skipped.tokens).toEqual(sampled.tokens);
    expect(sampled.steps).toBe(sampled.tokens.length);
    expect(skipped.steps).toBe(Math.ceil(skipped.tokens.length / 5));
  });

  it('gives every token its logprob, of the logits before the mask', () => {
    const { tokens, logprobs } = run({ constraint: pairs, logprobs: 0 });
    expect(tokens).toEqual(run({ constraint: pairs }).tokens);
    expect(logprobs.every((logprob) => logprob !== undefined && logprob < 0)).toBe(true);
  });

  it('ends with stop where the automaton ends, its last token given out', () => {
    const toEnd: ConstraintSpec = { kind: 'automaton', states: [[[30, 1]], [[31, 2]], []] };
    expect(run({ constraint: toEnd })).toMatchObject({ tokens: [30, 31], end: 'constraint', steps: 2 });
    expect(run({ constraint: { ...toEnd, skipsForced: true } })).toMatchObject({ tokens: [30, 31], end: 'constraint' });
  });

  it('says that no stop id ended it, where its constraint did, and only then', () => {
    const toEnd: ConstraintSpec = { kind: 'automaton', states: [[[30, 1]], [[31, 2]], []] };
    const last = (overrides: Partial<GenerateRequest>, emitted: readonly number[] = []): unknown =>
      run(overrides, emitted).last?.finishReason;
    expect(last({ constraint: toEnd })).toBe('constraint');
    expect(last({ constraint: { ...toEnd, skipsForced: true } })).toBe('constraint');
    expect(last({ constraint: toEnd, logprobs: 0 })).toBe('constraint');
    // Its last token is the last that was asked for: the constraint has come to its end all the same.
    expect(run({ constraint: toEnd, maxTokens: 2 })).toMatchObject({ tokens: [30, 31], end: 'constraint' });
    expect(last({ constraint: toEnd, maxTokens: 2 })).toBe('constraint');
    expect(last({ constraint: toEnd }, [30, 31])).toBe('constraint');
    expect(last({ constraint: toEnd, maxTokens: 1 })).toBe('length');
    expect(run({ constraint: toEnd, stopTokenIds: [31] })).toMatchObject({ tokens: [30], end: 'stop' });
    expect(last({ constraint: toEnd, stopTokenIds: [31] })).toBe('stop');
  });

  it('ends with length when forced tokens fill what was asked for', () => {
    const circle: ConstraintSpec = { kind: 'automaton', skipsForced: true, states: [[[5, 1]], [[6, 0]]] };
    expect(run({ constraint: circle, maxTokens: 7 })).toMatchObject({ tokens: [5, 6, 5, 6, 5, 6, 5], end: 'length' });
  });

  it('goes on where an earlier engine died, at any token', () => {
    const whole = run({ constraint: pairs });
    for (const at of [1, 2, 3, 4, 5, 6, 33]) {
      expect([...whole.tokens.slice(0, at), ...run({ constraint: pairs }, whole.tokens.slice(0, at)).tokens]).toEqual(
        whole.tokens,
      );
    }
  });

  it('ends at once when the earlier engine died between its last token and the news of it', () => {
    const toEnd: ConstraintSpec = { kind: 'automaton', states: [[[30, 1]], []] };
    expect(run({ constraint: toEnd }, [30])).toMatchObject({ tokens: [], end: 'constraint' });
  });

  it('has the closing tag after exactly as many tokens of reasoning as the budget says', () => {
    for (const budget of [0, 1, 17]) {
      const { tokens } = run({
        constraint: { kind: 'reasoning-budget', budget, startsInside: true, openTokenId: 190, closeTokenId: 191 },
        sampling: { temperature: 1, seed: 3, logitBias: [[191, -100]] },
      });
      expect(tokens.indexOf(191)).toBe(budget);
      expect(tokens).toHaveLength(60);
    }
  });
});
