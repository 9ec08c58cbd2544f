import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ChatCompletionRequest } from '../../src/wire/request-schemas.js';
import { AppError } from '../../src/base/index.js';
import { detectDialect, renderTemplate } from '../../src/chat/index.js';
import { createFeatureProbe, type TemplateFeatures } from '../../src/completion/templates/template-features.js';
import { asksForNone, toTemplateVariables } from '../../src/completion/templates/template-messages.js';
import { createScript, createTestCompletion, say } from './script.js';
import { toChatPrompt } from '../../src/wire/index.js';

const PLAIN = "{% for m in messages %}{{ '<|im_start|>' + m.role + '\n' + m.content + '<|im_end|>\n' }}{% endfor %}";
const TURNS = `{% for m in messages %}{% if m.role == 'user' %}[U]{{ m.content }}{% elif m.role == 'assistant' %}[A]{{ m.content }}{% endif %}{% endfor %}`;
const REASONER = `${PLAIN}<|im_start|>assistant\n<think>\n`;
const OWN_SWITCH = `${PLAIN}{% if thinking %}<think>\n{% endif %}`;
const STRICT = `{% for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('no') }}{% endif %}{{ m.content }}{% endfor %}`;
/** As DeepSeek's, which tell a call by content that is none, and add its arguments to a text. */
const NONE = `{% for m in messages %}{% if m['role'] == 'assistant' and m['content'] is none %}{% for c in m['tool_calls'] %}{{ '[C]' + c['function']['name'] + c['function']['arguments'] }}{% endfor %}{% else %}{{ '[' + m['role'] + ']' + m['content'] }}{% endif %}{% endfor %}`;
const HERMES_TAG = '<tool_call>';

function probeOf(template: string) {
  let renders = 0;
  const find = createFeatureProbe({
    template,
    dialect: detectDialect(template, (content) => content === HERMES_TAG),
    templateTokens: { bosToken: null, eosToken: null, callsHaveNone: asksForNone(template) },
    renderPrompt: (variables) => {
      renders++;
      return { text: renderTemplate(template, variables) };
    },
  });
  return { find, renders: () => renders };
}

async function lacksOf(template: string): Promise<string[]> {
  const features = await probeOf(template).find(undefined);
  return Object.entries(features).flatMap(([name, there]) => (there === true ? [] : [name]));
}

const readTemplate = (path: string, field: string): string =>
  (JSON.parse(readFileSync(join(process.cwd(), path), 'utf8')) as Record<string, string>)[field] ?? '';

describe('the probe of a template', () => {
  it.each([
    ['that prints messages alone', PLAIN, ['tools', 'toolCalls', 'thinkingOn']],
    ['that knows two roles', TURNS, ['tools', 'toolMessages', 'toolCalls', 'thinkingOn']],
    ['whose model always thinks', REASONER, ['tools', 'toolCalls', 'thinkingOff']],
    ['with a switch for thinking of its own', OWN_SWITCH, ['tools', 'toolCalls', 'thinkingOn']],
    // What it refuses in its own words is not ours to refuse.
    ['that refuses other roles itself', STRICT, ['tools', 'thinkingOn']],
    ['that tells calls by content that is none', NONE, ['tools', 'thinkingOn']],
    ['that always fails', "{{ raise_exception('no') }}", []],
  ])('finds what one %s lacks', async (_name, template, lacks) => {
    expect(await lacksOf(template)).toEqual(lacks);
  });

  it('is about calls as they are rendered: without content, or with none of it where the template asks for that', () => {
    const calls = [{ function: { name: 'f', arguments: '{"a":1e2}' } }];
    for (const content of [null, '', undefined]) {
      const variables = toTemplateVariables(
        toChatPrompt({
          messages: [{ role: 'assistant', ...(content !== undefined && { content }), tool_calls: calls }],
        }),
        false,
        { bosToken: null, eosToken: null, callsHaveNone: asksForNone(NONE) },
      );
      expect(renderTemplate(NONE, variables)).toBe('[C]f{"a": 1e2}');
    }
    expect([asksForNone('{% if m.content is not none %}'), asksForNone(PLAIN)]).toEqual([true, false]);
  });

  it('finds tools, calls, results and thinking in templates that have them', async () => {
    expect(await lacksOf(readTemplate('test/vectors/templates/chatml-hermes-think.json', 'template'))).toEqual([]);
    for (const name of ['llama3-headers', 'mistral-tools-v3']) {
      expect(await lacksOf(readTemplate(`test/vectors/templates/${name}.json`, 'template'))).toEqual(['thinkingOn']);
    }
    expect(await lacksOf(readTemplate('assets/demo/tokenizer_config.json', 'chat_template'))).toEqual([]);
  });

  it('is made once, and again after it could not be made', async () => {
    const { find, renders } = probeOf(PLAIN);
    await Promise.all([find(undefined), find(undefined)]);
    const once = renders();
    await find(undefined);
    expect(renders()).toBe(once);
    let isDown = true;
    const probe = createFeatureProbe({
      template: PLAIN,
      dialect: detectDialect(PLAIN, () => false),
      templateTokens: { bosToken: null, eosToken: null },
      renderPrompt: (variables) => {
        if (isDown) throw new AppError('actor_down', 'down');
        return { text: renderTemplate(PLAIN, variables) };
      },
    });
    await expect(probe(undefined)).rejects.toMatchObject({ code: 'actor_down' });
    isDown = false;
    expect((await probe(undefined)).tools).toBe(false);
  });

  it('of a template that loops takes everything for granted', async () => {
    const probe = createFeatureProbe({
      template: PLAIN,
      dialect: detectDialect(PLAIN, () => false),
      templateTokens: { bosToken: null, eosToken: null },
      renderPrompt: () => Promise.reject(new AppError('template_timeout', 'looped')),
    });
    expect(Object.values(await probe(undefined)).every(Boolean)).toBe(true);
  });
});

describe('a request for a template that lacks everything', () => {
  const NOTHING: TemplateFeatures = {
    tools: false,
    toolMessages: false,
    toolCalls: false,
    thinkingOn: false,
    thinkingOff: true,
  };
  const completion = createTestCompletion(createScript(say('x')), { template: { features: async () => NOTHING } });
  const user = { role: 'user' as const, content: 'hi' };
  const tools: ChatCompletionRequest['tools'] = [{ type: 'function', function: { name: 'f' } }];
  const call = { role: 'assistant' as const, content: null, tool_calls: [{ function: { name: 'f' } }] };
  const ask = (request: Partial<ChatCompletionRequest>) => completion.chat({ messages: [user], ...request });

  it.each<readonly [string, Partial<ChatCompletionRequest>, string]>([
    ['tools', { tools }, 'tools'],
    ['a call', { messages: [user, call] }, 'messages[1].tool_calls'],
    ['a result', { messages: [user, { role: 'tool', tool_call_id: 'a', content: '1' }] }, 'messages[1]'],
    ['enable_thinking', { enable_thinking: true }, 'enable_thinking'],
    ['thinking', { thinking: { type: 'enabled' } }, 'thinking'],
    ['a budget', { thinking_budget: 5 }, 'thinking_budget'],
    ['an effort', { reasoning_effort: 'high' }, 'reasoning_effort'],
    ['reasoning', { reasoning: { effort: 'low' } }, 'reasoning'],
    ['a variable', { chat_template_kwargs: { enable_thinking: true } }, 'chat_template_kwargs.enable_thinking'],
  ])('is refused by name for %s, and served when it says that it may be left out', async (_name, request, param) => {
    const refusal = expect.objectContaining({
      code: 'unsupported_by_template',
      message: expect.stringContaining(param) as string,
      details: expect.objectContaining({ param }) as object,
    }) as unknown;
    await expect(ask(request)).rejects.toEqual(refusal);
    await expect(completion.stream({ messages: [user], ...request }).next()).rejects.toEqual(refusal);
    expect((await ask({ ...request, drop_unsupported: true })).choices).toHaveLength(1);
  });

  it.each<readonly [string, Partial<ChatCompletionRequest>]>([
    ['nothing of it', {}],
    ['tools that may not be called', { tools, tool_choice: 'none' }],
    ['no tools', { tools: [] }],
    ['no thinking', { enable_thinking: false, reasoning_effort: 'none' }],
    ['a system message', { messages: [{ role: 'system', content: 'be' }, user] }],
    ['a later one', { messages: [user, { role: 'developer', content: 'be' }] }],
    ['an empty system message', { messages: [{ role: 'system', content: '' }, user] }],
    ['the template’s own switch', { enable_thinking: true, chat_template_kwargs: { thinking: true } }],
    ['no reasoning to be shown', { include_reasoning: false }],
  ])('is served with %s', async (_name, request) => {
    expect((await ask(request)).choices).toHaveLength(1);
  });

  it('is refused by renderChat and encodeChat too', async () => {
    const refused = { code: 'unsupported_by_template', details: { param: 'tools' } };
    await expect(completion.renderChat([user], { tools })).rejects.toMatchObject(refused);
    await expect(completion.encodeChat([user], { tools })).rejects.toMatchObject(refused);
    expect(await completion.renderChat([user], { tools, dropUnsupported: true })).toContain('hi');
  });
});
