// What a template writes of earlier calls is what its dialect reads, and what a grammar of the dialect allows.
import { describe, expect, it } from 'vitest';
import { detectDialect, dialects, renderTemplate, type Delta } from '../../src/chat/index.js';
import { present, type JsonObject } from '../../src/base/index.js';
import { buildGrammar } from '../../src/completion/grammars/build-grammar.js';
import { toCallsRequest } from '../../src/completion/grammars/grammar-request.js';
import { textParts, type Message } from '../../src/completion/request.js';
import { createFeatureProbe } from '../../src/completion/templates/template-features.js';
import { readTemplateWishes, toTemplateVariables } from '../../src/completion/templates/template-messages.js';
import { compileGrammar, GrammarWalk } from '../../src/grammar/index.js';
import { toolTemplates } from '../chat/tool-templates.js';

const END = '<end>';
const ENDS = /(?:<end>|<\|(?:eot_id|im_end|end_of_text|end|END_OF_TURN_TOKEN)\|>|<｜end▁of▁sentence｜>)\n?$/;
const tokensOf = (template: string) => ({ bosToken: '', eosToken: END, ...readTemplateWishes(template) });
const parameters = {
  type: 'object',
  properties: { a: { type: 'string' }, b: { type: 'array', items: {} }, c: {} },
};
const tool = (name: string): JsonObject => ({
  type: 'function',
  function: { name, description: 'Does it.', parameters },
});
const tools = [tool('get_time'), tool('add')];
const first = '{"a": "say \\"hi\\"", "b": [1.0, 12345678901234567890]}';

const render = (template: string, messages: readonly Message[]): string =>
  renderTemplate(
    template,
    toTemplateVariables({ messages, tools, thinking: { isHidden: false } }, false, tokensOf(template)),
  );

describe.each(Object.entries(toolTemplates))('a template of %s', (name, template) => {
  const dialect = dialects[name as keyof typeof toolTemplates];
  // A name with a tag in it cannot be that of an element.
  const second = dialect.calls?.elements === undefined ? '{"</tool_call>": "]}"}' : '{"c": "</tool_call>]}"}';
  const user: Message = { role: 'user', content: textParts('What time is it?') };
  const calls = tools.map((_, i) => ({
    id: `call_${'0123456789abcdef'.repeat(2)}${i}`,
    name: i === 0 ? 'get_time' : 'add',
    argumentsText: i === 0 ? first : second,
  }));
  const results = calls.map(({ id, name: called }, i): Message => ({
    role: 'tool',
    callId: id,
    name: called,
    content: textParts(`r${i}`),
  }));

  it('is known by its text, and shows tools, calls and results', async () => {
    expect(detectDialect(template, () => false).name).toBe(name);
    const probe = createFeatureProbe({
      template,
      dialect,
      templateTokens: tokensOf(template),
      renderPrompt: (variables) => renderTemplate(template, variables),
    });
    expect(await probe(undefined)).toMatchObject({ tools: true, toolCalls: true, toolMessages: true });
  });

  it('writes calls that the dialect reads, in whatever form their ids are', () => {
    for (const ids of [calls.map(({ id }) => id), [undefined, undefined], ['abc', 'def'], ['a1b2c3d4e', 'f1b2c3d4e']]) {
      const asked = calls.map((call, i) => ({ ...call, id: ids[i] }));
      const answered = results.map((result, i) => ({ ...result, callId: ids[i] }));
      const text = render(template, [user, { role: 'assistant', content: [], calls: asked }, ...answered]);
      const read = readCalls(text);
      expect(read).toEqual(calls.map(({ name: called, argumentsText }) => ({ name: called, argumentsText })));
      expect([text.includes('r0'), text.includes('r1')]).toEqual([true, true]);
    }
  });

  it('writes calls as a forced answer has them', () => {
    const [call] = calls;
    const messages: Message[] = [user, { role: 'assistant', content: [], calls: call === undefined ? [] : [call] }];
    const rendered = render(template, messages);
    const notation = present(dialect.calls, 'the dialect has calls');
    const begin = rendered.lastIndexOf(
      notation.bare === undefined ? present(notation.triggers[0], 'it has a trigger') : '{"name"',
    );
    const text = rendered.slice(begin).replace(ENDS, '');
    const calling = { tools, toolChoice: { isRequired: true }, isSingle: true, toolSchema: String };
    const { grammar } = buildGrammar({ calls: toCallsRequest(calling, notation) });
    const state = new GrammarWalk(compileGrammar(grammar)).start().advance(new TextEncoder().encode(text));
    expect([text, state?.canEnd]).toEqual([text, true]);
  });

  /** The calls of a rendered conversation: each turn is read as an answer. */
  function readCalls(text: string): { name?: string | undefined; argumentsText: string }[] {
    const bare = dialect.calls?.bare === undefined ? [text] : text.split('<|end_header_id|>\n\n');
    return bare.flatMap((turn) => {
      const parser = dialect.createParser({
        tools: true,
        toolNames: ['get_time', 'add'],
        parametersOf: () => parameters,
      });
      const deltas: Delta[] = [...parser.push({ text: turn }), ...parser.end()];
      return deltas.flatMap((delta) =>
        delta.type === 'toolCall' ? [{ name: delta.name, argumentsText: delta.argumentsText }] : [],
      );
    });
  }
});
