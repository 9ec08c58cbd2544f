import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chatFormats, renderTemplate } from '../../src/chat/index.js';

type Name = keyof typeof chatFormats;

interface Message {
  readonly role: string;
  readonly content: unknown;
}

interface Suite {
  readonly bos_token: string | null;
  readonly eos_token: string | null;
  readonly cases: readonly {
    readonly messages: readonly Message[];
    readonly tools: unknown;
    readonly documents: unknown;
    readonly options: Readonly<Record<string, unknown>>;
    readonly rendered?: string;
    readonly error?: string;
  }[];
}

const tokens = { bos_token: '<s>', eos_token: '</s>' };
const names = Object.keys(chatFormats) as Name[];
const user = (content: string): Message => ({ role: 'user', content });
const assistant = (content: string): Message => ({ role: 'assistant', content });
const system = (content: string): Message => ({ role: 'system', content });

function render(
  name: Name,
  messages: readonly Message[],
  variables: Readonly<Record<string, unknown>> = tokens,
): string {
  const given = { messages, tools: null, documents: null, add_generation_prompt: true, ...variables };
  return renderTemplate(chatFormats[name].template, given);
}

function renderOrError(name: Name, messages: readonly Message[], variables: Readonly<Record<string, unknown>>): string {
  try {
    return render(name, messages, variables);
  } catch (error) {
    expect(error).toMatchObject({ code: 'template_error' });
    return 'error';
  }
}

/** A suite of rendered templates, how its text differs by more than the turns, and cases where a format is stricter. */
const suites: readonly (readonly [Name, string, (rendered: string) => string, readonly number[]])[] = [
  ['chatml', 'chatml-plain', (text) => text, []],
  // A system turn between others.
  ['gemma', 'gemma-turns', (text) => text, [16]],
  // That template is of Llama 3.1: it has a system turn each time, which begins with dates.
  [
    'llama3',
    'llama3-headers',
    (text) =>
      text
        .replace(/Date of knowledge: .*\nDate: .*\n\n/, '')
        .replace('<|start_header_id|>system<|end_header_id|>\n\n<|eot_id|>', ''),
    [6],
  ],
  ['mistral', 'mistral-inst', (text) => text, []],
  // Its lines have ends of their own, and it ends with a token of the tokenizer's where no answer is asked for; an unknown role.
  [
    'phi3',
    'phi-tags',
    (text) => text.replace(/(<\|(?:end|assistant)\|>\n)\n(?=<\||$)/g, '$1').replace(/<\|endoftext\|>\n$/, ''),
    [17],
  ],
  // An unknown role.
  ['zephyr', 'zephyr-eos-lines', (text) => text, [17]],
];

describe('chat formats', () => {
  it.each(suites)('%s is the template of %s, in conversations of text', (name, file, toPlain, stricter) => {
    const path = join(process.cwd(), `test/vectors/templates/${file}.json`);
    const suite = JSON.parse(readFileSync(path, 'utf8')) as Suite;
    const { bos_token, eos_token } = suite;
    let compared = 0;
    for (const [index, { messages, tools, documents, options, rendered, error }] of suite.cases.entries()) {
      const isPlain =
        !tools &&
        !documents &&
        Object.keys(options).every((key) => key === 'add_generation_prompt') &&
        messages.every((message) => typeof message.content === 'string' && Object.keys(message).length === 2);
      if (!isPlain || stricter.includes(index + 1)) continue;
      const variables = {
        add_generation_prompt: options['add_generation_prompt'] === true,
        ...(bos_token !== null && { bos_token }),
        ...(eos_token !== null && { eos_token }),
      };
      const expected = error === undefined ? toPlain(rendered ?? '') : 'error';
      expect(renderOrError(name, messages, variables), `case ${index + 1}`).toBe(expected);
      compared++;
    }
    expect(compared).toBeGreaterThanOrEqual(8);
  });

  const talk = [system('Be brief.'), user('What is 2+2?'), assistant('4'), user('And 3+3?')];

  it('llama2 is what Meta’s code writes', () => {
    expect(render('llama2', talk)).toBe(
      '<s>[INST] <<SYS>>\nBe brief.\n<</SYS>>\n\nWhat is 2+2? [/INST] 4 </s><s>[INST] And 3+3? [/INST]',
    );
    expect(render('llama2', [user(' Hi \n')])).toBe('<s>[INST] Hi [/INST]');
  });

  it('alpaca is the prompt of its data set, and goes on as FastChat does', () => {
    expect(render('alpaca', [user('Name a colour.')])).toBe(
      '<s>Below is an instruction that describes a task. Write a response that appropriately completes the request.\n\n### Instruction:\nName a colour.\n\n### Response:\n',
    );
    expect(render('alpaca', talk)).toBe(
      '<s>Be brief.\n\n### Instruction:\nWhat is 2+2?\n\n### Response:\n4</s>### Instruction:\nAnd 3+3?\n\n### Response:\n',
    );
  });

  it('vicuna is the prompt of its documentation', () => {
    const first =
      "<s>A chat between a curious user and an artificial intelligence assistant. The assistant gives helpful, detailed, and polite answers to the user's questions.";
    expect(render('vicuna', [user('Hello!'), assistant('Hello!'), user('How are you?')])).toBe(
      `${first} USER: Hello! ASSISTANT: Hello!</s>USER: How are you? ASSISTANT:`,
    );
    expect(render('vicuna', talk)).toBe('<s>Be brief. USER: What is 2+2? ASSISTANT: 4</s>USER: And 3+3? ASSISTANT:');
  });

  it.each(names)('%s writes every text once and in order, without tokens that the model has not', (name) => {
    const texts = ['one-', 'two-', 'three-', 'four-'];
    const [first = '', ...turns] = texts;
    const messages = [system(first), ...turns.map((text, i) => (i % 2 === 0 ? user(text) : assistant(text)))];
    const rendered = render(name, messages, {});
    expect(rendered).not.toMatch(/undefined|none/i);
    expect(rendered.match(/(?:one|two|three|four)-/g)).toEqual(texts);
    // The prompt of the next turn goes on where an answer would.
    expect(rendered.startsWith(render(name, messages.slice(0, 2), {}))).toBe(true);
  });

  it.each(['llama2', 'mistral', 'gemma', 'alpaca', 'vicuna'] as const)('%s refuses turns out of order', (name) => {
    for (const messages of [[user('a'), user('b')], [assistant('a')], [user('a'), system('b')]]) {
      expect(() => render(name, messages)).toThrow(/must take turns in this chat format.*; turn \d is of /);
    }
  });
});
