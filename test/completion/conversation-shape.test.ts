// Conversations of agents, and templates that take only some of them.
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/base/index.js';
import { chatFormats, createTemplateRenderer, dialects, renderTemplate } from '../../src/chat/index.js';
import { neutralFields, messageText, textParts, type ChatPrompt, type Message } from '../../src/completion/request.js';
import { ANY_SHAPE, isUnusual, stricterShapes, toShape } from '../../src/completion/templates/conversation-shape.js';
import { renderConversation } from '../../src/completion/templates/render-conversation.js';
import { createShapeProbe } from '../../src/completion/templates/shape-probe.js';
import { readTemplateWishes, toTemplateVariables } from '../../src/completion/templates/template-messages.js';

const EACH = `{%- for m in messages %}{{- '[' + m.role + ']' + m.content }}{%- for c in m.tool_calls or [] %}{{- '[call ' + c.function.name + ']' }}{%- endfor %}{%- endfor %}`;
const refuse = (when: string): string =>
  `{%- for m in messages %}{%- if ${when} %}{{- raise_exception('refused') }}{%- endif %}{%- endfor %}${EACH}`;
const turns = (isTurn: string): string =>
  `{%- set n = namespace(i=0) %}{%- for m in messages %}{%- if ${isTurn} %}{%- if (m.role == 'user') != (n.i % 2 == 0) %}{{- raise_exception('alternate') }}{%- endif %}{%- set n.i = n.i + 1 %}{%- endif %}{%- endfor %}${EACH}`;

/** Templates by what they refuse, and those that leave it out without a word. */
const strict = {
  'one system message, first': refuse("m.role == 'system' and not loop.first"),
  'no system message at all': refuse("m.role == 'system'"),
  'the user first': `{%- if messages[0].role != 'user' %}{{- raise_exception('user first') }}{%- endif %}${EACH}`,
  'turns in alternation behind one system message': turns("not (loop.first and m.role == 'system')"),
  'turns in alternation, without any system message': turns('true'),
  'turns in alternation, calls and results apart': turns(
    "(m.role == 'user' or (m.role == 'assistant' and not m.tool_calls)) ",
  ).replace(
    '{%- set n',
    "{%- for m in messages %}{%- if m.role == 'system' and not loop.first %}{{- raise_exception('one') }}{%- endif %}{%- endfor %}{%- set n",
  ),
  'at most one system message, wherever it is': `{%- if messages | selectattr('role', 'equalto', 'system') | list | length > 1 %}{{- raise_exception('two') }}{%- endif %}${EACH}`,
  'the last turn of the user or a tool': `{%- if messages[-1].role not in ['user', 'tool'] %}{{- raise_exception('last') }}{%- endif %}${EACH}`,
  'no user behind a result': `{%- for m in messages %}{%- if m.role == 'user' and not loop.first and messages[loop.index0 - 1].role == 'tool' %}{{- raise_exception('after a tool') }}{%- endif %}{%- endfor %}${EACH}`,
};
const silent = {
  'that leaves system messages out': EACH.replace('{{-', "{%- if m.role != 'system' %}{{-").replace(
    'm.content }}',
    'm.content }}{%- endif %}',
  ),
  'that shows the first message of the system alone': EACH.replace(
    '{{-',
    "{%- if m.role != 'system' or loop.first %}{{-",
  ).replace('m.content }}', 'm.content }}{%- endif %}'),
  'that shows the last of turns in a row': EACH.replace(
    '{{-',
    "{%- if loop.last or messages[loop.index0 + 1].role != m.role or m.role == 'tool' %}{{-",
  ).replace('m.content }}', 'm.content }}{%- endif %}'),
};

/** Templates that have no place for results of tools refuse them, as before. */
const withoutTools: ReadonlySet<string> = new Set([
  strict['turns in alternation behind one system message'],
  strict['turns in alternation, without any system message'],
]);
const isOfTools = (messages: readonly Message[]): boolean => messages.some(({ role }) => role === 'tool');

/** Keeps templates parsed. */
const renderer = createTemplateRenderer();

const prompt = (messages: readonly Message[]): ChatPrompt => ({
  messages,
  tools: [],
  thinking: { isHidden: false },
  trustsControlTokens: true,
  dropsUnsupported: false,
  fields: neutralFields,
});

function openTemplate(template: string, probes = true) {
  const tokens = { bosToken: '', eosToken: '', ...readTemplateWishes(template) };
  let renders = 0;
  const render = (variables: Parameters<typeof renderTemplate>[1]): { text: string } => {
    renders++;
    return { text: renderer.render(template, variables) };
  };
  const shapes = createShapeProbe({ templateTokens: tokens, renderPrompt: render });
  const opened = { render, tokens, dialect: dialects.plain, ...(probes && { shapes }) };
  return {
    shapes,
    renders: () => renders,
    say: async (messages: readonly Message[]) =>
      (await renderConversation(prompt(messages), { template: opened, addsGenerationPrompt: false })).text,
    asItIs: (messages: readonly Message[]) =>
      renderTemplate(template, toTemplateVariables(prompt(messages), false, tokens)),
  };
}

const system = (text: string): Message => ({ role: 'system', content: textParts(text) });
const user = (text: string): Message => ({ role: 'user', content: textParts(text) });
const answer = (text: string): Message => ({ role: 'assistant', content: textParts(text) });
const call = (name: string, text = ''): Message => ({
  role: 'assistant',
  content: textParts(text),
  calls: [{ id: 'abcdefgh1', name, argumentsText: '{}' }],
});
const result = (text: string): Message => ({
  role: 'tool',
  content: textParts(text),
  name: 'look',
  callId: 'abcdefgh1',
});

const conversations: Readonly<Record<string, readonly Message[]>> = {
  'two system messages first': [system('Be brief.'), system('Be kind.'), user('hi')],
  'a system message between turns': [
    system('Be brief.'),
    user('hi'),
    answer('Hello'),
    system('A reminder.'),
    user('q'),
  ],
  'a system message last': [user('hi'), answer('Hello'), user('q'), system('A reminder.')],
  'no user at all': [system('Be brief.')],
  'two turns of the user': [user('<env>'), user('q')],
  'two turns of the assistant': [user('hi'), answer('one'), answer('two'), user('q')],
  'the assistant first': [answer('Welcome'), user('hi')],
  'the assistant first, behind the system': [system('Be brief.'), answer('Welcome'), user('hi')],
  'a user behind a result': [system('Be brief.'), user('hi'), call('look'), result('found'), user('q')],
  'a reminder between a call and its result': [user('hi'), call('look'), system('A reminder.'), result('found')],
  'text and a call apart': [user('hi'), answer('I look.'), call('look'), result('found'), user('q')],
  'what Codex sends': [system('You are.'), system('<permissions>'), user('<env>'), user('q')],
};

/** Each text and each call once. */
const expectWhole = (text: string, messages: readonly Message[]): void => {
  for (const message of messages) {
    const { calls = [] } = message;
    const said = messageText(message);
    if (said !== '') expect(text.split(said)).toHaveLength(2);
    for (const { name } of calls) expect(text).toContain(`[call ${name}]`);
  }
};

describe.each(Object.entries({ ...strict, ...silent }))('a template %s', (_, template) => {
  it.each(Object.entries(conversations))('renders all of: %s', async (_name, messages) => {
    if (withoutTools.has(template) && isOfTools(messages)) return;
    expectWhole(await openTemplate(template).say(messages), messages);
  });

  it('renders an ordinary conversation as it is, once, and looks at nothing', async () => {
    const opened = openTemplate(template);
    const messages = [user('hi'), answer('Hello'), user('q')];
    expect(await opened.say(messages)).toBe(opened.asItIs(messages));
    expect(opened.renders()).toBe(1);
  });
});

describe('a template that refuses by itself', () => {
  it.each(Object.entries(strict))('is given a stricter form without having been looked at: %s', async (_, template) => {
    for (const messages of Object.values(conversations)) {
      if (withoutTools.has(template) && isOfTools(messages)) continue;
      expectWhole(await openTemplate(template, false).say(messages), messages);
    }
  });

  it('answers in its own words where no form helps', async () => {
    const messages = [system('a'), system('b'), user('c')];
    const never = openTemplate("{{ raise_exception('never') }}").say(messages);
    await expect(never).rejects.toEqual(
      expect.objectContaining({ message: expect.stringContaining('never') as string }),
    );
  });
});

describe('a template that takes any form', () => {
  const message = fc.record({
    role: fc.constantFrom<Message['role']>('system', 'user', 'assistant', 'tool'),
    content: fc.string({ maxLength: 4 }).map(textParts),
  });

  it('gets each conversation as it is', async () => {
    const opened = openTemplate(EACH);
    expect(await opened.shapes(undefined)).toEqual(ANY_SHAPE);
    await fc.assert(
      fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 8 }), async (messages) => {
        expect(await opened.say(messages)).toBe(opened.asItIs(messages));
      }),
    );
  });

  it.each(['chatml-plain', 'zephyr-eos-lines', 'smol-macros', 'llama3-headers'])(
    'is published: %s gets turns of the user in a row as they are',
    async (name) => {
      const path = `test/vectors/templates/${name}.json`;
      const { template = '' } = JSON.parse(readFileSync(path, 'utf8')) as { readonly template?: string };
      expect((await openTemplate(template).shapes(undefined)).userRuns).toBe(true);
    },
  );
});

describe('the form of a conversation', () => {
  const [, strictest = ANY_SHAPE] = stricterShapes;
  /** Texts that were joined: a paragraph each. */
  const parts = (...texts: readonly string[]): Message['content'] =>
    texts.flatMap((text, index) => [...(index > 0 ? textParts('\n\n') : []), ...textParts(text)]);

  it('carries the system in the first turn of the user, and a later one at its place', () => {
    expect(toShape([system('a'), system('b'), user('c'), answer('d'), system('e'), user('f')], strictest)).toEqual([
      { role: 'user', content: parts('a', 'b', 'c') },
      answer('d'),
      { role: 'user', content: parts('e', 'f') },
    ]);
  });

  it('joins what the assistant said and thought with its call', () => {
    const thought: Message = { ...answer('a'), reasoning: 'hm' };
    expect(toShape([user('q'), thought, call('look', 'b')], strictest)).toEqual([
      user('q'),
      { ...call('look'), content: parts('a', 'b'), reasoning: 'hm' },
    ]);
  });

  it('alternates and says all, whatever was said, in any order', () => {
    const words = fc.array(fc.constantFrom<Message['role']>('system', 'user', 'assistant'), {
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(words, (roles) => {
        const messages = roles.map((role, index): Message => ({ role, content: textParts(`<${index}>`) }));
        const shaped = toShape(messages, strictest);
        expect(shaped.map(({ role }) => role)).toEqual(
          shaped.map((_, index) => (index % 2 === 0 ? 'user' : 'assistant')),
        );
        expect(shaped.flatMap((each) => messageText(each).match(/<\d+>/g) ?? []).toSorted()).toEqual(
          messages.map(messageText).toSorted(),
        );
        expect(toShape(messages, ANY_SHAPE)).toEqual(messages);
        if (!isUnusual(messages)) expect(shaped).toEqual(messages);
      }),
    );
  });
});

it('formats to be chosen by name take conversations of agents', async () => {
  for (const [name, { template }] of Object.entries(chatFormats)) {
    for (const [what, messages] of Object.entries(conversations)) {
      if (isOfTools(messages)) continue;
      const text = await openTemplate(template).say(messages);
      for (const message of messages) expect(text, `${name}, ${what}`).toContain(messageText(message));
    }
  }
});

it('a template that loops counts as one that takes everything', async () => {
  const shapes = createShapeProbe({
    templateTokens: { bosToken: null, eosToken: null },
    renderPrompt: () => Promise.reject(new AppError('template_timeout', 'looped')),
  });
  expect(await shapes(undefined)).toEqual(ANY_SHAPE);
});
