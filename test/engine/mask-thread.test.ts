import { afterEach, describe, expect, it } from 'vitest';
import { createSupervisor, type Supervisor } from '../../src/actor/index.js';
import { AppError } from '../../src/base/index.js';
import { EngineClient, engineKey, engineTree, type GenerateRequest } from '../../src/engine/index.js';
import type { ConstraintSpec } from '../../src/grammar/index.js';
import { createTinyModel, toDeviceMemory } from '../support/tiny-model.js';
import { grammarSpecs, hostileSpec, openTexts, TAGS } from './text-vocabulary.js';

const running: Supervisor[] = [];

afterEach(async () => {
  for (const supervisor of running.splice(0)) await supervisor.stop();
});

async function start(placement: 'inline' | 'thread'): Promise<{ client: EngineClient; supervisor: Supervisor }> {
  const threads = placement === 'inline' ? 1 : 2;
  const tiny = await createTinyModel({ capacity: { threads } });
  const { contextLength, vocabSize } = tiny.config;
  const client = new EngineClient({ contextLength, vocabSize, takesGrammars: true });
  const memory = { ...tiny, device: toDeviceMemory(tiny, threads), contextLength };
  const vocabulary = openTexts(vocabSize).toBytes();
  const supervisor = await createSupervisor(engineTree({ memory, placement, client, vocabulary }));
  const attach = (): void => client.attach(supervisor.ref(engineKey));
  attach();
  supervisor.onEvent(({ type, id }) => {
    if (type === 'restarted' && id === engineKey.id) attach();
  });
  running.push(supervisor);
  return { client, supervisor };
}

function request(seed: number, constraint?: ConstraintSpec): GenerateRequest {
  const sampling = { temperature: 1.2, seed };
  const prompt = { promptTokenIds: [5, 9, 9, 40, 9, 9, 40, 9 + seed], maxTokens: 120, sampling };
  return { ...prompt, stopTokenIds: [TAGS.end], ignoreStop: false, ...(constraint && { constraint }) };
}

const requests = [...grammarSpecs, ...grammarSpecs, undefined].map((spec, seed) => request(seed, spec));

async function collect(client: EngineClient, one: GenerateRequest, onToken = (): void => {}): Promise<number[]> {
  const tokens: number[] = [];
  for await (const { tokenIds } of client.generate(one)) {
    tokens.push(...tokenIds);
    onToken();
  }
  return tokens;
}

describe('an engine with a mask thread', () => {
  it('gives the tokens of one that makes its masks itself, also where the thread dies', async () => {
    const inline = await start('inline');
    const expected = await Promise.all(requests.map((one) => collect(inline.client, one)));
    const { client, supervisor } = await start('thread');
    let kills = 0;
    const onToken = (): void => {
      if (kills++ === 40) supervisor.kill('masks', new AppError('actor_killed', 'a test wanted it so'));
    };
    expect(await Promise.all(requests.map((one) => collect(client, one, onToken)))).toEqual(expected);
    expect(kills).toBeGreaterThan(40);
    const { masked, lateMasks, heldMasks } = await client.stats();
    expect(masked).toBeGreaterThan(10);
    expect(lateMasks).toBeLessThanOrEqual(masked);
    expect(heldMasks).toBeLessThanOrEqual(lateMasks);
  });

  it('ends an answer whose grammar takes too much by that name, and no other', async () => {
    const { client } = await start('thread');
    const [plain, hostile] = await Promise.allSettled([
      collect(client, request(6)),
      collect(client, request(1, hostileSpec)),
    ]);
    expect(plain.status).toBe('fulfilled');
    expect(hostile).toMatchObject({ status: 'rejected', reason: { code: 'grammar_too_slow' } });
  });
});
