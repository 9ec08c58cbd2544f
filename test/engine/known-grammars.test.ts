// A compiled grammar crosses to an engine once, and is named by its id after that.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Ref } from '../../src/actor/index.js';
import { AppError } from '../../src/base/index.js';
import { EngineClient, type EngineActor, type GenerateRequest } from '../../src/engine/index.js';
import { joinRequest, KnownGrammars, partRequest } from '../../src/engine/known-grammars.js';
import { compileGrammar, readGbnf, type ConstraintSpec } from '../../src/grammar/index.js';

type GrammarSpec = Extract<ConstraintSpec, { kind: 'grammar' }>;
const specOf = (text: string, id = text): GrammarSpec => {
  const grammar = compileGrammar(readGbnf(`root ::= "${text}"`));
  return { kind: 'grammar', grammar, id, endTokenIds: [0] };
};
const requestOf = (constraint?: ConstraintSpec): GenerateRequest => ({
  promptTokenIds: [1],
  maxTokens: 5,
  sampling: { temperature: 0, topP: 1, topK: 0, minP: 0, seed: 0 },
  stopTokenIds: [],
  ignoreStop: true,
  ...(constraint && { constraint }),
});
const afterReasoning = (answer: GrammarSpec): ConstraintSpec => {
  return { kind: 'after-reasoning', openTokenId: 1, closeTokenId: 2, startsInside: false, answer };
};

/** What came with each request: a grammar, its id alone, or neither. */
type Sent = 'grammar' | 'id' | 'nothing';

/** An engine that takes requests as the real one does, and says what came with each. */
function openFake(client: EngineClient): { readonly sent: Sent[]; forget(): void; readonly taken: number[] } {
  const [sent, taken]: [Sent[], number[]] = [[], []];
  let known = new KnownGrammars();
  const submit: EngineActor['submit'] = async (id, request, _emitted, grammar) => {
    expect(JSON.stringify(request)).not.toContain('edgeBytes');
    sent.push(grammar !== undefined ? 'grammar' : request.constraint === undefined ? 'nothing' : 'id');
    const whole = joinRequest(request, grammar, known);
    if (whole !== undefined) taken.push(id);
    return whole !== undefined;
  };
  const never = async (): Promise<never> => Promise.reject(new Error('no test asks for it'));
  const ref: Ref<EngineActor> = { submit, cancel: async () => {}, forward: never, stats: never };
  client.openRing(1024);
  client.attach(ref);
  return { sent, taken, forget: () => void (known = new KnownGrammars()) };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the grammar of a request', () => {
  let client: EngineClient;
  beforeEach(() => (client = new EngineClient({ contextLength: 100, vocabSize: 10, takesGrammars: true })));
  afterEach(() => client.close(new AppError('engine_closed', 'over')));

  /** Begins requests with these constraints; they never end. */
  const ask = async (...constraints: (ConstraintSpec | undefined)[]): Promise<void> => {
    for (const each of constraints) {
      client
        .generate(requestOf(each))
        .next()
        .catch(() => {});
    }
    await settled();
  };

  it('is sent with the first request only, also behind reasoning', async () => {
    const { sent, taken } = openFake(client);
    const spec = specOf('a');
    await ask(spec, spec, afterReasoning(spec), undefined);
    await ask(spec);
    expect(sent).toEqual(['grammar', 'id', 'id', 'nothing', 'id']);
    expect(taken).toHaveLength(5);
  });

  it('is sent again to an engine that takes the place of a dead one, with the first request that has it', async () => {
    const first = openFake(client);
    const [one, other] = [specOf('a'), specOf('b')];
    await ask(one, one, other);
    expect(first.sent).toEqual(['grammar', 'id', 'grammar']);
    const second = openFake(client);
    await settled();
    // Those under way, in their order; then new ones.
    expect(second.sent).toEqual(['grammar', 'id', 'grammar']);
    await ask(one, other);
    expect(second.sent.slice(3)).toEqual(['id', 'id']);
    expect(second.taken).toHaveLength(5);
  });

  it('is sent again where another one has taken its id', async () => {
    const { sent } = openFake(client);
    const [one, other] = [specOf('a', 'same'), specOf('b', 'same')];
    await ask(one, other, other, one);
    expect(sent).toEqual(['grammar', 'grammar', 'id', 'grammar']);
  });

  it('is sent again once 32 others were used after it, and not before', async () => {
    const { sent } = openFake(client);
    const specs = Array.from({ length: 33 }, (_, i) => specOf(`text ${i}`));
    await ask(...specs.slice(0, 32), specs[0], specs[32]);
    expect(sent.slice(32)).toEqual(['id', 'grammar']);
    await ask(specs[0], specs[1]);
    expect(sent.slice(34)).toEqual(['id', 'grammar']);
  });

  it('is sent again where the engine says that it lacks it, unless its caller has left', async () => {
    const { sent, taken, forget } = openFake(client);
    const spec = specOf('a');
    await ask(spec);
    forget();
    await ask(spec);
    expect(sent).toEqual(['grammar', 'id', 'grammar']);
    expect(taken).toEqual([1, 2]);
    forget();
    const leaving = new AbortController();
    const left = client.generate(requestOf(spec), leaving.signal).next();
    leaving.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    await settled();
    expect(taken).toEqual([1, 2]);
  });

  it('is checked before it is sent, and refused where it is none', async () => {
    openFake(client);
    const spec = specOf('a');
    await ask(spec);
    const broken = { ...spec, grammar: { ...spec.grammar, start: 7 } };
    await expect(client.generate(requestOf(broken)).next()).rejects.toMatchObject({ code: 'invalid_value' });
    await expect(client.generate(requestOf({ ...spec, endTokenIds: [10] })).next()).rejects.toThrow('endTokenIds');
  });
});

it('a request in two parts is the same when it is joined', () => {
  const spec = specOf('a');
  for (const constraint of [spec, afterReasoning(spec), undefined]) {
    const request = requestOf(constraint);
    const { named, grammar } = partRequest(request);
    expect(joinRequest(named, grammar?.compiled, new KnownGrammars())).toEqual(request);
    if (constraint !== undefined) expect(joinRequest(named, undefined, new KnownGrammars())).toBeUndefined();
  }
});
