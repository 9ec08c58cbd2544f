// Random crowds of sequences for the law: every sequence has exactly the tokens, or the embedding, that it has alone.

import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { EngineCore, type EngineSettings } from '../../src/engine/engine.js';
import type { StepOutput } from '../../src/engine/step-output.js';
import { scoring, type GenerateRequest, type MediaItem, type TokenLogprobs } from '../../src/engine/request.js';
import type { ConstraintSpec } from '../../src/grammar/index.js';
import { systemClock } from '../../src/base/index.js';
import type { TinyModel } from '../support/tiny-model.js';
import { createRandom } from '../grammar/sample.js';
import { createMasksByHand } from './masks-by-hand.js';
import { grammarSpecs, openTexts, TAGS } from './text-vocabulary.js';

/** Rows of a prompt that are no tokens: so many from `at` on, the same for the same seed. */
interface Picture {
  readonly seed: number;
  readonly at: number;
  readonly rows: number;
}

/** One sequence of a mix: what it asks, when it comes, and after how many tokens it is cancelled. */
export interface Member {
  readonly picture: Picture | undefined;
  readonly request: GenerateRequest;
  readonly arrivesAtStep: number;
  readonly cancelAfter: number | undefined;
}

/** A mix and the engine that it runs on. */
export interface Mix {
  readonly members: readonly Member[];
  readonly chunkRows: number;
  readonly maxSequences: number;
  readonly speculation: boolean;
  /** How often in ten looks of the engine a mask is made meanwhile; absent: they are made as they are used. */
  readonly maskPace: number | undefined;
}

const VOCAB = 197;

/** A group has one prompt, so one picture or none. */
const GROUP_PICTURES: readonly (Picture | undefined)[] = [undefined, { seed: 0, at: 9, rows: 30 }];

/** A phrase that repeats itself: what speculation and shared prefixes live on. */
function prompt(base: number, length: number): number[] {
  return Array.from({ length }, (_, i) => (base * 41 + (i % 11) * 17) % VOCAB);
}

const sampling = fc.record(
  {
    temperature: fc.constantFrom(0, 0.3, 1, 1.5),
    seed: fc.integer({ min: -1000, max: 1000 }),
    topP: fc.constantFrom(0.9, 0.5),
    topK: fc.constantFrom(1, 20),
    minP: fc.constant(0.05),
    typicalP: fc.constant(0.8),
    xtc: fc.constant({ probability: 0.5, threshold: 0.1 }),
    dry: fc.constant({ multiplier: 0.8, breakerIds: [5] }),
    repetitionPenalty: fc.constant(1.3),
    presencePenalty: fc.constant(0.5),
    frequencyPenalty: fc.constant(-0.5),
    logitBias: fc.constant<[number, number][]>([[7, 4]]),
    minTokens: fc.constant(10),
  },
  { requiredKeys: ['temperature', 'seed'] },
);

/** Ids that a model with random weights draws now and then. */
const { open: OPEN, close: CLOSE } = TAGS;

/** A choice, then tokens that need no sampling, then a choice again: over and over, or to an end. */
const rounds = (end: number): ConstraintSpec => ({
  kind: 'automaton',
  skipsForced: true,
  states: [Array.from({ length: 40 }, (_, i) => [i * 3, i === 5 ? end : 1]), [[60, 2]], [[61, 3]], [[62, 0]], []],
});

const grammar = fc
  .record({ spec: fc.constantFrom(...grammarSpecs), skipsForced: fc.boolean() })
  .map(({ spec, skipsForced }) => ({ ...spec, skipsForced }));

const constraint = fc.oneof(
  fc.constantFrom(rounds(1), rounds(4)),
  grammar,
  fc.record({
    kind: fc.constant('after-reasoning' as const),
    openTokenId: fc.constant(OPEN),
    closeTokenId: fc.constant(CLOSE),
    startsInside: fc.boolean(),
    budget: fc.nat(9),
    answer: grammar,
  }),
  fc.record({
    kind: fc.constant('reasoning-budget' as const),
    budget: fc.nat(20),
    startsInside: fc.boolean(),
    openTokenId: fc.constant(OPEN),
    closeTokenId: fc.constant(CLOSE),
  }),
);

const conversation = fc
  .record({
    base: fc.nat(3),
    length: fc.integer({ min: 1, max: 150 }),
    maxTokens: fc.integer({ min: 1, max: 60 }),
    sampling,
    logprobs: fc.option(fc.constantFrom(0, 3), { nil: undefined, freq: 2 }),
    constraint: fc.option(constraint, { nil: undefined, freq: 2 }),
    caller: fc.constantFrom('ada', 'bob', 'cyd'),
    group: fc.option(fc.nat(2), { nil: undefined }),
    picture: fc.option(
      fc.record({ seed: fc.nat(1), at: fc.constantFrom(0, 9, 40), rows: fc.constantFrom(1, 30, 60) }),
      {
        nil: undefined,
        freq: 2,
      },
    ),
    arrivesAtStep: fc.nat(30),
    cancelAfter: fc.option(fc.nat(20), { nil: undefined, freq: 4 }),
  })
  .map(({ base, length, group, arrivesAtStep, cancelAfter, logprobs, constraint: rule, picture, ...rest }): Member => {
    // A group is one prompt.
    const promptTokenIds = group === undefined ? prompt(base, length) : prompt(group, 70 + group * 13);
    const request = {
      ...rest,
      promptTokenIds,
      stopTokenIds: [3],
      ignoreStop: false,
      ...(group !== undefined && { group }),
      ...(logprobs !== undefined && { logprobs }),
      ...(rule !== undefined && { constraint: rule }),
    };
    const isPart = picture !== undefined && picture.at + picture.rows <= promptTokenIds.length;
    const own = isPart ? picture : undefined;
    return { request, picture: group === undefined ? own : GROUP_PICTURES[group], arrivesAtStep, cancelAfter };
  });

/** Up to the whole context; no caller leaves it early, because it has no tokens to count until then. */
const embedding = fc
  .record({
    base: fc.nat(3),
    length: fc.integer({ min: 1, max: 256 }),
    caller: fc.constantFrom('ada', 'bob', 'cyd'),
    arrivesAtStep: fc.nat(30),
  })
  .map(({ base, length, caller, arrivesAtStep }): Member => {
    const request = { ...scoring(prompt(base, length)), caller, pooling: 'mean' as const };
    return { request, picture: undefined, arrivesAtStep, cancelAfter: undefined };
  });

const member = fc.oneof({ weight: 3, arbitrary: conversation }, { weight: 1, arbitrary: embedding });

/** Mixes of up to `size` sequences. */
export function mixes(size: number): fc.Arbitrary<Mix> {
  return fc.record({
    members: fc.array(member, { minLength: 1, maxLength: size, size: 'max' }),
    chunkRows: fc.constantFrom(1, 7, 32, 64),
    maxSequences: fc.constantFrom(1, 3, 16),
    speculation: fc.boolean(),
    maskPace: fc.option(fc.constantFrom(1, 5, 10), { freq: 3, nil: undefined }),
  });
}

/** The request of a member, with its picture in rows as wide as the model's. */
function requestOf({ request, picture }: Member, { graph }: TinyModel): GenerateRequest {
  return picture === undefined ? request : { ...request, media: [drawPicture(picture, graph.hiddenSize)] };
}

/** A picture in rows that are as large as embeddings. */
function drawPicture({ seed, at, rows }: Picture, hiddenSize: number): MediaItem {
  const random = createRandom(seed + 1);
  const values = Float32Array.from({ length: rows * hiddenSize }, () => random() - 0.5);
  return { at, rows, values, digest: createHash('sha256').update(values).digest('hex') };
}

function createEngine(
  model: TinyModel,
  settings: Partial<EngineSettings>,
  limits: { chunkRows: number; maxSequences: number },
): EngineCore {
  const { contextLength, vocabSize } = model.config;
  const all = { maxRows: 64, maxWaiting: 1000, ...limits };
  const vocabulary = openTexts(vocabSize);
  return new EngineCore(model.device, { contextLength, vocabSize, vocabulary, limits: all, ...settings });
}

/** A token as a caller gets it. */
export interface GivenToken {
  readonly tokenId: number;
  readonly logprobs: TokenLogprobs | undefined;
}

/** Masks that come now and then, as if a thread made them that seldom has a core; time goes on when it is asked for. */
function masksOf({ maskPace }: Mix, vocabSize: number): Partial<EngineSettings> {
  if (maskPace === undefined) return {};
  const random = createRandom(maskPace);
  const masks = createMasksByHand(vocabSize, (made) => {
    if (random() * 10 < maskPace) made.work(1);
  });
  let nowMs = 0;
  const clock = { ...systemClock, nowMs: () => (nowMs += 0.3) };
  return { masks, vocabulary: openTexts(vocabSize, masks), clock };
}

/** Tokens of each member, or the numbers of its embedding, when the mix runs together; `afterStep` sees the engine after every step. */
export function runMix(model: TinyModel, mix: Mix, afterStep: (engine: EngineCore) => void): (GivenToken | number)[][] {
  const engine = createEngine(model, { speculation: mix.speculation, ...masksOf(mix, model.config.vocabSize) }, mix);
  const tokens = mix.members.map((): (GivenToken | number)[] => []);
  const ended = new Set<number>();
  for (let step = 0; step <= 30 || engine.hasWork; step++) {
    if (step > 100_000) throw new Error('the mix does not end');
    mix.members.forEach((one, id) => {
      if (one.arrivesAtStep === step) engine.add(id, requestOf(one, model), []);
    });
    const outputs: StepOutput[] = [];
    engine.step(outputs);
    for (const { sequenceId, tokenId, logprobs, embedding: vector = [], error } of outputs) {
      if (error !== undefined) throw error;
      if (ended.has(sequenceId)) continue;
      if (tokenId !== undefined) tokens[sequenceId]?.push({ tokenId, logprobs });
      tokens[sequenceId]?.push(...vector);
      const { cancelAfter = Infinity } = mix.members[sequenceId] ?? {};
      if ((tokens[sequenceId]?.length ?? 0) <= cancelAfter) continue;
      ended.add(sequenceId);
      engine.cancel(sequenceId);
    }
    afterStep(engine);
  }
  return tokens;
}

/** The same of each member when it has the engine to itself, without speculation. */
export function runAlone(model: TinyModel, mix: Mix): (GivenToken | number)[][] {
  return mix.members.map((one) => {
    const { cancelAfter = Infinity } = one;
    const engine = createEngine(model, { speculation: false }, { chunkRows: 64, maxSequences: 16 });
    engine.add(1, requestOf(one, model), []);
    const tokens: (GivenToken | number)[] = [];
    while (engine.hasWork && tokens.length <= cancelAfter) {
      const outputs: StepOutput[] = [];
      engine.step(outputs);
      for (const { tokenId, logprobs, embedding: vector = [] } of outputs) {
        if (tokenId !== undefined) tokens.push({ tokenId, logprobs });
        tokens.push(...vector);
      }
    }
    // A step may give several tokens, and the caller gets them together.
    return tokens.slice(0, cancelAfter + 1);
  });
}
