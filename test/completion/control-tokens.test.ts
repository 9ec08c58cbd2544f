import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChatMessage, Tool } from '../../src/api/index.js';
import { createTemplateRenderer, renderTemplate, type Prompt } from '../../src/chat/index.js';
import { controlTextsOf } from '../../src/chat/control-texts.js';
import { toTemplateVariables } from '../../src/completion/templates/template-messages.js';
import { compileTokenizer, loadTokenizer, openTokenizer, type Tokenizer } from '../../src/tokenizer/index.js';
import { wholeSet } from '../support/whole-sets.js';
import { bytesSpec } from '../tokenizer/sample.js';
import { toChatPrompt } from '../../src/wire/index.js';

interface Suite {
  readonly template: string;
  readonly bos_token?: string | null;
  readonly eos_token?: string | null;
  readonly cases: readonly {
    readonly messages?: unknown[];
    readonly tools?: unknown[] | null;
    readonly options?: Record<string, unknown>;
    readonly rendered?: string;
  }[];
}

const directory = wholeSet('oracle/templates', 'test/vectors/templates');
const suites = readdirSync(directory)
  .filter((name) => name.endsWith('.json'))
  .map((name): [string, Suite] => [name, JSON.parse(readFileSync(join(directory, name), 'utf8')) as Suite])
  .filter(([, suite]) => typeof suite.template === 'string' && suite.cases.some(({ messages }) => messages));
const demo = JSON.parse(readFileSync(join(process.cwd(), 'assets/demo/tokenizer_config.json'), 'utf8')) as {
  chat_template: string;
};
suites.push(['demo', { template: demo.chat_template, eos_token: '<|im_end|>', cases: [] }]);

const FIRST_ADDED = 300;
/** Brackets and bars, each as a character that no template and no token has. */
const HARMLESS: ReadonlyMap<string, string> = new Map(
  [...'<>[]|｜'].map((sign, i) => [sign, String.fromCharCode(0xe000 + i)]),
);
const toHarmless = (text: string): string => Array.from(text, (sign) => HARMLESS.get(sign) ?? sign).join('');

/** A template with a tokenizer of bytes: every second of the tags in its text is marked special, as are its own tokens. */
function modelOf({ template, bos_token: bos = null, eos_token: eos = null }: Suite) {
  const written =
    template.match(/<[|｜][^<>\n]*?[|｜]>|<\/?(?:think|s|bos|tool_\w+|\w+_of_turn)>|\[\/?[A-Z_]{3,}\]/g) ?? [];
  const own = [bos, eos].filter((text) => text !== null);
  const contents = [...new Set([...own, '<|fim|>', ...written])];
  const added = contents.map((content, i) => ({
    id: FIRST_ADDED + i,
    content,
    special: own.includes(content) || i % 2 === 0,
    normalized: i % 3 === 2,
    single_word: false,
    lstrip: false,
    rstrip: false,
  }));
  const compiled = compileTokenizer(JSON.stringify(bytesSpec({ added_tokens: added })));
  const manifest = { chat: { template, bosToken: bos, eosToken: eos } };
  const tokenizer = openTokenizer(compiled, (opened) => controlTextsOf(manifest, opened).tags);
  const controls = controlTextsOf(manifest, tokenizer);
  const renderer = createTemplateRenderer(controls);
  return {
    template,
    tokens: manifest.chat,
    tokenizer,
    controls: [...controls.special, ...controls.tags],
    renderPrompt: (variables: Record<string, unknown>): Prompt => renderer.renderPrompt(template, variables),
  };
}

/** Control tokens and the texts between them, harmless. */
function partsOf(tokenizer: Tokenizer, ids: readonly number[]): (number | string)[] {
  const parts: (number | string)[] = [];
  let run: number[] = [];
  const end = (): void => {
    if (run.length > 0) parts.push(toHarmless(tokenizer.decode(run)));
    run = [];
  };
  for (const id of ids) {
    if (id < FIRST_ADDED) {
      run.push(id);
      continue;
    }
    end();
    parts.push(id);
  }
  end();
  return parts;
}

/** Texts of pieces of control tokens, and of what templates cut at. */
function arbitraryText(controls: readonly string[], avoided: readonly string[]): fc.Arbitrary<string> {
  const control = fc.constantFrom(...controls);
  const slice = fc
    .tuple(control, fc.nat(40), fc.nat(40))
    .map(([text, a, b]) => text.slice(Math.min(a, b) % text.length, (Math.max(a, b) % text.length) + 1));
  const word = fc.constantFrom('hi', ' ', '\n', 'a\u{1f600}', '/think', '"', '\\', '\ufdd0', '\uffff', '7 < 8');
  return fc
    .array(fc.oneof({ weight: 2, arbitrary: control }, { weight: 3, arbitrary: slice }, word), { maxLength: 6 })
    .map((pieces) => pieces.join(''))
    .filter((text) => avoided.every((tag) => !text.includes(tag)));
}

interface Texts {
  readonly [place: string]: string;
}

/** A conversation with texts of the caller at every place that has one. */
function requestOf(texts: Texts, hasSystem: boolean, hasTools: boolean) {
  const text = (place: string): string => texts[place] ?? '';
  const call = {
    id: 'abcdefgh1',
    type: 'function',
    function: { name: text('called'), arguments: JSON.stringify({ [text('key')]: [text('value')], n: 1 }) },
  };
  const messages: ChatMessage[] = [
    ...(hasSystem ? [{ role: 'system' as const, content: text('system') }] : []),
    { role: 'user', content: text('user'), name: text('name') },
    ...(hasTools
      ? [
          { role: 'assistant' as const, content: text('said'), tool_calls: [call] },
          { role: 'tool' as const, tool_call_id: 'abcdefgh1', content: text('result') },
        ]
      : []),
    { role: 'assistant', content: text('answer'), reasoning_content: text('thought') },
    {
      role: 'user',
      content: [
        { type: 'text', text: text('part') },
        { type: 'text', text: text('user') },
      ],
    },
  ];
  const tools: Tool[] = [
    {
      type: 'function',
      function: {
        name: text('tool'),
        description: text('about'),
        parameters: {
          type: 'object',
          properties: { [text('key')]: { type: 'string', [text('extra')]: text('about') } },
        },
      },
    },
  ];
  return { messages, tools: hasTools ? tools : [] };
}

const PLACES = 'called key value system user name said result answer thought part tool about extra'.split(' ');

describe.each(suites)('the prompt of %s', (_name, suite) => {
  const model = modelOf(suite);
  const variablesOf = ({ messages, ...options }: ReturnType<typeof requestOf>) =>
    toTemplateVariables(toChatPrompt({ messages, tools: [...options.tools] }), true, model.tokens);
  const sought = model.controls.filter(
    (tag) =>
      new RegExp(`(?:in |\\()['"]${tag.replace(/[|[\]]/g, '\\$&')}`).test(suite.template) ||
      suite.template.includes(`'${tag}' in`),
  );

  it('has control tokens at the places of the same request with harmless text, and decodes to what was rendered', () => {
    let rendered = 0;
    const text = arbitraryText(model.controls, sought);
    const all = fc.record(Object.fromEntries(PLACES.map((place) => [place, text])));
    fc.assert(
      fc.property(all, fc.boolean(), fc.boolean(), (texts, hasSystem, hasTools) => {
        const request = variablesOf(requestOf(texts, hasSystem, hasTools));
        const harmless = Object.fromEntries(Object.entries(texts).map(([place, each]) => [place, toHarmless(each)]));
        let twin: string;
        try {
          twin = renderTemplate(suite.template, variablesOf(requestOf(harmless, hasSystem, hasTools)));
        } catch {
          return;
        }
        rendered++;
        const prompt = model.renderPrompt(request);
        const ids = model.tokenizer.encode(prompt.text, { addSpecialTokens: false, plain: prompt.plainAt });
        const twinIds = model.tokenizer.encode(twin, { addSpecialTokens: false });
        expect(partsOf(model.tokenizer, ids)).toEqual(partsOf(model.tokenizer, twinIds));
        expect(model.tokenizer.decode(ids)).toBe(prompt.text);
        expect(prompt.text).toBe(renderTemplate(suite.template, request));
      }),
      { numRuns: 80, seed: 29 },
    );
    // Where the template takes no conversation at all, there is nothing to compare.
    const takesOne = renderOrNothing(() => renderTemplate(suite.template, variablesOf(requestOf({}, false, false))));
    expect(rendered).toBeGreaterThan(takesOne === undefined ? -1 : 20);
  });

  it('is what it was, text and ids, for conversations without such text', () => {
    for (const { messages, tools = null, options = {}, rendered } of suite.cases) {
      if (rendered === undefined || messages === undefined || 'continue_final_message' in options) continue;
      const variables = { messages, tools, add_generation_prompt: false, ...options };
      const before = renderOrNothing(() => renderTemplate(suite.template, variables));
      if (before === undefined) continue;
      const { text, plainAt } = model.renderPrompt(variables);
      expect(text).toBe(before);
      const said = JSON.stringify([messages, tools, options]);
      if (model.controls.some((control) => said.includes(control))) continue;
      const encode = (plain?: readonly number[]) => model.tokenizer.encode(text, { addSpecialTokens: false, plain });
      expect(encode(plainAt)).toEqual(encode());
    }
  });
});

it('the prompts of the demo model are what they were, id for id', async () => {
  const tokenizer = await loadTokenizer(join(process.cwd(), 'assets/demo'));
  const { chat_template: template } = demo;
  const tokens = { bosToken: null, eosToken: '<|im_end|>' };
  const renderer = createTemplateRenderer(controlTextsOf({ chat: { template, ...tokens } }, tokenizer));
  const lines = readFileSync(join(process.cwd(), 'test/vectors/completion/eval-sample.jsonl'), 'utf8')
    .trim()
    .split('\n');
  for (const line of lines) {
    const { messages, tools, thinking } = JSON.parse(line) as {
      messages: ChatMessage[];
      tools: Tool[];
      thinking: boolean;
    };
    const request = toChatPrompt({ messages, tools, enable_thinking: thinking });
    const variables = toTemplateVariables(request, true, tokens);
    const { text, plainAt } = renderer.renderPrompt(template, variables);
    expect(text).toBe(renderTemplate(template, variables));
    const bare = { addSpecialTokens: false };
    expect(tokenizer.encode(text, { ...bare, plain: plainAt })).toEqual(tokenizer.encode(text, bare));
  }
  expect(lines.length).toBeGreaterThan(20);
});

function renderOrNothing(render: () => string): string | undefined {
  try {
    return render();
  } catch {
    return undefined;
  }
}
