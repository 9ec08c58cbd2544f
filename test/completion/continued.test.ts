// What completions do besides answering a conversation as it is: cut it, continue an earlier answer, tell token ids.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/base/index.js';
import { dialects, renderTemplate } from '../../src/chat/index.js';
import {
  createCompletion,
  neutralFields,
  messageText,
  textParts,
  type ChatRequest,
  type CompletionEvent,
  type CompletionRequest,
  type Message,
} from '../../src/completion/index.js';
import { dropOldest } from '../../src/completion/prepare-chat.js';
import { createScript, letterTokenizer, say, type Script } from './script.js';

const TEMPLATE = "{% for m in messages %}{{ '<|im_start|>' + m.content + '<|im_end|>' }}{% endfor %}<|im_start|>";

const user = (text: string): Message => ({ role: 'user', content: textParts(text) });
const assistant = (text: string): Message => ({ role: 'assistant', content: textParts(text) });
const system = (text: string): Message => ({ role: 'system', content: textParts(text) });

function request(messages: readonly Message[], more: Partial<ChatRequest> = {}): ChatRequest {
  return {
    kind: 'chat',
    messages,
    tools: [],
    thinking: { isHidden: false },
    trustsControlTokens: true,
    dropsUnsupported: false,
    sampling: { values: {}, seed: 1 },
    n: 1,
    stops: [],
    keepsStop: false,
    endsWithFirstCall: false,
    fields: { ...neutralFields, earlier: 'context' },
    ...more,
  };
}

/** The events of an answer, and what the generator was asked for. `template` false: the model has none. */
async function run(script: Script, asked: CompletionRequest, { template = true } = {}): Promise<CompletionEvent[]> {
  const completion = createCompletion({
    modelId: 'm',
    systemFingerprint: 'f',
    generator: script,
    tokenizer: letterTokenizer,
    vocabSize: letterTokenizer.vocabSize,
    encode: (text) => letterTokenizer.encode(text),
    encodeText: (text) => letterTokenizer.encode(`^${text}`),
    template: template
      ? {
          render: (variables) => ({ text: renderTemplate(TEMPLATE, variables) }),
          tokens: { bosToken: null, eosToken: null },
          dialect: dialects.plain,
        }
      : undefined,
    templateMissing: () => new AppError('template_missing', 'no template'),
    stopTokenIds: [],
  });
  const events: CompletionEvent[] = [];
  for await (const event of completion.stream(asked)) events.push(event);
  return events;
}

const promptOf = ({ requests }: Script): string => letterTokenizer.decode(requests[0]?.promptTokenIds ?? []);
const textOf = (events: readonly CompletionEvent[]): string =>
  events
    .flatMap((event) => (event.type === 'choice' ? event.deltas : []))
    .map((delta) => ('text' in delta ? delta.text : ''))
    .join('');

describe('a conversation that is too long', () => {
  const turns = [system('S'), user('aaaa'), assistant('bbbb'), user('cccc'), assistant('dddd'), user('ee')];
  const shown = (...texts: string[]): string =>
    `${texts.map((text) => `<|im_start|>${text}<|im_end|>`).join('')}<|im_start|>`;

  it('loses its oldest turns, keeps system messages, and begins with the user', async () => {
    const prompts: string[] = [];
    for (const contextLength of [100, 34, 33, 22, 21, 10, 9]) {
      const script = createScript(say('x'), contextLength);
      await run(script, request(turns, { dropsOldest: true }));
      prompts.push(promptOf(script));
    }
    const whole = shown('S', 'aaaa', 'bbbb', 'cccc', 'dddd', 'ee');
    const later = shown('S', 'cccc', 'dddd', 'ee');
    const last = shown('S', 'ee');
    expect(letterTokenizer.encode(whole)).toHaveLength(32);
    expect(letterTokenizer.encode(later)).toHaveLength(20);
    expect(prompts).toEqual([whole, whole, whole, later, later, last, last]);
  });

  it('is refused where not even the last turn fits, and where nothing shall be left out', async () => {
    const refused = { code: 'context_length_exceeded' };
    const script = (): Script => createScript(say('x'), 8);
    await expect(run(script(), request(turns, { dropsOldest: true }))).rejects.toMatchObject(refused);
    await expect(run(createScript(say('x'), 30), request(turns))).rejects.toMatchObject(refused);
  });

  it('keeps as many of its turns as fit, whatever they are, in few renderings', async () => {
    const message = fc.record({
      role: fc.constantFrom<Message['role']>('system', 'user', 'assistant', 'tool'),
      size: fc.integer({ min: 0, max: 50 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(message, { maxLength: 40 }), fc.nat(500), async (made, room) => {
        const messages = [
          ...made.map(({ role, size }) => ({ role, content: textParts('x'.repeat(size)) })),
          user('last'),
        ];
        const sizeOf = (list: readonly Message[]): number =>
          list.reduce((sum, each) => sum + messageText(each).length, 0);
        const seen: Message[][] = [];
        const kept = await dropOldest(
          request(messages, { dropsOldest: true }),
          async (part) => {
            seen.push([...part.messages]);
            return [...part.messages];
          },
          (part) => sizeOf(part) <= room,
        );
        const starts = [0, ...messages.flatMap(({ role }, index) => (role === 'user' ? [index] : []))];
        const cuts = starts.map((start) => messages.filter(({ role }, index) => index >= start || role === 'system'));
        // From the whole conversation to the last turn; the first that fits, or else the last of them.
        const expected = cuts.find((cut) => sizeOf(cut) <= room) ?? cuts.at(-1) ?? [];
        expect(sizeOf(kept)).toBe(sizeOf(expected));
        expect(seen.length).toBeLessThanOrEqual(2 + Math.ceil(Math.log2(starts.length + 1)));
      }),
      { numRuns: 200 },
    );
  });
});

describe('token ids', () => {
  it('of prompt and answer come with the end, up to the token that completed a stop string', async () => {
    const prompt = letterTokenizer.encode('<|im_start|>hi<|im_end|><|im_start|>');
    const tells = { tellsTokenIds: true };
    const whole = await run(createScript(say('yes')), request([user('hi')], tells));
    expect(whole.at(-1)).toMatchObject({ type: 'end', tokenIds: [...prompt, ...letterTokenizer.encode('yes')] });
    const cut = await run(createScript(say('yes no')), request([user('hi')], { ...tells, stops: ['s'] }));
    expect(textOf(cut)).toBe('ye');
    expect(cut.at(-1)).toMatchObject({ tokenIds: [...prompt, ...letterTokenizer.encode('yes')] });
    const untold = await run(createScript(say('yes')), request([user('hi')]));
    expect(untold.at(-1)).not.toHaveProperty('tokenIds');
  });

  it('of an earlier answer stand before the prompt, and count', async () => {
    const script = createScript(say('y'));
    const earlierTokenIds = letterTokenizer.encode('before');
    const events = await run(script, request([user('hi')], { earlierTokenIds, tellsTokenIds: true }));
    expect(promptOf(script)).toBe('before<|im_start|>hi<|im_end|><|im_start|>');
    expect(events.at(-1)).toMatchObject({ usage: { promptTokens: 11 } });
    const wrong = request([user('hi')], { earlierTokenIds: [2 ** 40] });
    await expect(run(createScript([]), wrong)).rejects.toMatchObject({
      code: 'invalid_value',
      details: { param: 'context' },
    });
    const tooMany = request([user('hi')], { earlierTokenIds });
    await expect(run(createScript([], 11), tooMany)).rejects.toMatchObject({ code: 'context_length_exceeded' });
  });
});

describe('a model without a template', () => {
  it('continues the text that stands for a conversation, if one does', async () => {
    const script = createScript(say(' world'));
    const asked = request([user('hello')], {
      textWithoutTemplate: 'hello',
      earlierTokenIds: [120],
      tellsTokenIds: true,
    });
    const events = await run(script, asked, { template: false });
    expect([promptOf(script), textOf(events)]).toEqual(['x^hello', ' world']);
    const refused = { code: 'template_missing' };
    await expect(run(script, request([user('hi')]), { template: false })).rejects.toMatchObject(refused);
  });

  it('does not take the place of one that has a template', async () => {
    const script = createScript(say('x'));
    await run(script, request([user('hi')], { textWithoutTemplate: 'hello' }));
    expect(promptOf(script)).toContain('<|im_start|>hi');
  });
});

describe('a completion', () => {
  it('tells of its first token before anything of it is given out', async () => {
    const asked = request([user('hi')], { stops: ['no'] });
    const events = await run(createScript(say('n')), asked);
    const choices = events.filter((event) => event.type === 'choice');
    expect(choices[0]).toEqual({ type: 'choice', index: 0, deltas: [], begins: true });
    expect([choices.filter(({ begins }) => begins === true).length, textOf(events)]).toEqual([1, 'n']);
  });

  it('of no prompt is nothing but a beginning and an end', async () => {
    const { messages: _, kind: _kind, ...rest } = request([]);
    const events = await run(createScript([]), {
      ...rest,
      kind: 'text',
      prompts: [],
      echo: false,
      readsControlTokensAsText: true,
    });
    const usage = { promptTokens: 0, completionTokens: 0, cachedTokens: 0, reasoningTokens: 0 };
    expect(events).toEqual([
      { type: 'begin', echoes: [], promptTokens: 0, unenforced: [] },
      { type: 'end', usage },
    ]);
  });
});
