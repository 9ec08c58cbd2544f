import { beforeAll, describe, expect, it } from 'vitest';
import { EngineCore } from '../../src/engine/engine.js';
import type { StepOutput } from '../../src/engine/step-output.js';
import {
  compileGrammar,
  createVocabulary,
  GrammarWalk,
  readJsonSchema,
  type ConstraintSpec,
  type GrammarVocabulary,
} from '../../src/grammar/index.js';
import { createTinyModel, type TinyModel } from '../support/tiny-model.js';

const LIMITS = { maxRows: 64, chunkRows: 64, maxSequences: 16, maxWaiting: 32 };
/** Ids of special tokens: they stand for no text. */
const END = 0;
const OPEN = 1;
const CLOSE = 2;

const schema = {
  type: 'object',
  properties: { ok: { type: 'boolean' }, code: { type: 'string', pattern: '^[a-c]{0,4}$' } },
  required: ['ok', 'code'],
  additionalProperties: false,
};
const { grammar } = readJsonSchema(schema, { whitespace: 'none' });
const compiled = compileGrammar(grammar);
const spec: ConstraintSpec = { kind: 'grammar', grammar: compiled, id: 'ok and code', endTokenIds: [END] };

/** Single bytes, pieces of JSON, and nothing for the special tokens and the rest. */
function tokensOf(vocabSize: number): (Uint8Array | undefined)[] {
  const pieces = ['{"', '":', ',"', '"}', 'ok', 'code', 'true', 'fal', 'se', 'ab', 'bc', 'abc'];
  const texts = [...Array.from({ length: 95 }, (_, i) => String.fromCharCode(0x20 + i)), ...pieces];
  return Array.from({ length: vocabSize }, (_, id) => {
    const text = texts[id - CLOSE - 1];
    return text === undefined ? undefined : new TextEncoder().encode(text);
  });
}

describe('a sequence that follows a grammar', () => {
  let model: TinyModel;
  let vocabulary: GrammarVocabulary;

  beforeAll(async () => {
    model = await createTinyModel();
    vocabulary = createVocabulary(tokensOf(model.config.vocabSize));
  });

  function run(seed: number, constraint: ConstraintSpec, emitted: readonly number[] = []): StepOutput[] {
    const { contextLength, vocabSize } = model.config;
    const engine = new EngineCore(model.device, { contextLength, vocabSize, vocabulary, limits: LIMITS });
    const sampling = { temperature: 1.5, seed };
    const request = { promptTokenIds: [5, 9, 9, 40], maxTokens: 60, sampling, stopTokenIds: [END], ignoreStop: false };
    engine.add(1, { ...request, constraint }, emitted);
    const outputs: StepOutput[] = [];
    while (engine.hasWork) engine.step(outputs);
    return outputs;
  }

  const idsOf = (outputs: readonly StepOutput[]): number[] => outputs.flatMap(({ tokenId }) => tokenId ?? []);
  const textOf = (ids: readonly number[]): string =>
    Buffer.concat(ids.map((id) => vocabulary.bytesOf(id))).toString('utf8');

  it('ends by itself with a text of the grammar, whatever the model would have said', () => {
    for (let seed = 0; seed < 20; seed++) {
      const outputs = run(seed, spec);
      const text = textOf(idsOf(outputs));
      expect(JSON.parse(text)).toEqual({
        ok: expect.any(Boolean) as unknown,
        code: expect.stringMatching(/^[a-c]{0,4}$/) as unknown,
      });
      expect(outputs.at(-1)).toMatchObject({ finishReason: 'constraint' });
      expect(new GrammarWalk(compiled).start().advance(Buffer.from(text))?.isOver).toBe(true);
    }
  });

  it('goes on with the same tokens in another engine', () => {
    const whole = idsOf(run(7, spec));
    for (const split of [1, 4, whole.length - 1]) {
      expect([...whole.slice(0, split), ...idsOf(run(7, spec, whole.slice(0, split)))]).toEqual(whole);
    }
  });

  it('may think first', () => {
    const tags = { openTokenId: OPEN, closeTokenId: CLOSE };
    const after: ConstraintSpec = { kind: 'after-reasoning', ...tags, startsInside: true, budget: 5, answer: spec };
    const ids = idsOf(run(3, after));
    const close = ids.indexOf(CLOSE);
    expect(close).toBeGreaterThanOrEqual(0);
    expect(close).toBeLessThanOrEqual(5);
    expect(JSON.parse(textOf(ids.slice(close + 1)))).toHaveProperty('code');
  });
});
