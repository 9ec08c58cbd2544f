import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ChatCompletion } from '../../src/api/index.js';
import { parseChatCompletionRequest } from '../../src/wire/parsing/parse-chat-request.js';
import { createTemplateRenderer, detectDialect } from '../../src/chat/index.js';
import { AppError } from '../../src/base/index.js';
import { createCompletion } from '../../src/completion/index.js';
import { wholeSet } from '../support/whole-sets.js';
import { overWire, type WireCompletion } from '../support/wire-completion.js';
import type { GenerateRequest, SequenceOutput } from '../../src/engine/index.js';
import { loadTokenizer, type Tokenizer } from '../../src/tokenizer/index.js';

interface Row {
  readonly topic: string;
  readonly thinking: boolean;
  readonly tools: unknown[];
  readonly messages: unknown[];
  readonly expected: {
    readonly content: string;
    readonly reasoning_content?: string;
    readonly tool_calls?: { readonly name: string; readonly arguments: unknown }[];
  };
  readonly text: string;
}

const demo = join(process.cwd(), 'assets/demo');
const rowsPath = wholeSet('demo-model/eval.jsonl', 'test/vectors/completion/eval-sample.jsonl');

function readRows(path: string): Row[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
}

/** What `expected` looks like in an answer: of calls only name and arguments are compared. */
function summary(completion: ChatCompletion): unknown {
  const { content, reasoning_content, tool_calls } = completion.choices[0]?.message ?? {};
  return {
    content: content ?? '',
    ...(reasoning_content === undefined ? {} : { reasoning_content }),
    ...(tool_calls === undefined
      ? {}
      : {
          tool_calls: tool_calls.map((call) => ({
            name: call.function.name,
            arguments: JSON.parse(call.function.arguments) as unknown,
          })),
        }),
  };
}

describe('the demo model’s template, tokenizer and dialect', () => {
  const template = (JSON.parse(readFileSync(join(demo, 'tokenizer_config.json'), 'utf8')) as { chat_template: string })
    .chat_template;
  let tokenizer: Tokenizer;
  let completion: WireCompletion;
  let answer = '';
  let prompt: readonly number[] = [];
  let perOutput = 1;

  beforeAll(async () => {
    tokenizer = await loadTokenizer(demo);
    const renderer = createTemplateRenderer();
    const end = tokenizer.tokenToId('<|im_end|>') ?? -1;
    const generator = {
      contextLength: 1024,
      async *generate(request: GenerateRequest): AsyncGenerator<SequenceOutput> {
        prompt = request.promptTokenIds;
        const ids = tokenizer.encode(answer, { addSpecialTokens: false }).filter((id) => id !== end);
        for (let at = 0; at < ids.length; at += perOutput) yield { tokenIds: ids.slice(at, at + perOutput) };
        yield { tokenIds: [], finishReason: 'stop' };
      },
    };
    completion = overWire(
      createCompletion({
        modelId: 'demo',
        systemFingerprint: 'fp_test',
        generator,
        tokenizer,
        vocabSize: tokenizer.vocabSize,
        encode: (text) => tokenizer.encode(text, { addSpecialTokens: false }),
        encodeText: (text) => tokenizer.encode(text),
        template: {
          render: (variables) => ({ text: renderer.render(template, variables) }),
          tokens: { bosToken: '<|endoftext|>', eosToken: '<|im_end|>' },
          dialect: detectDialect(template, (content) => tokenizer.tokenToId(content) !== undefined),
        },
        templateMissing: () => new AppError('template_missing', 'no template'),
        stopTokenIds: [end],
      }),
    );
  });

  it('speaks hermes', () => {
    expect(detectDialect(template, () => false).name).toBe('hermes');
  });

  it('renders calls in the spacing of training, whatever the client’s', async () => {
    const messages = [
      { role: 'user', content: 'What time is it in Cairo?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'get_time', arguments: '{"city":"Cairo"}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: '{"time": "09:45"}' },
    ];
    answer = 'x';
    await completion.chat(parseChatCompletionRequest({ messages }));
    expect(tokenizer.decode(prompt)).toBe(
      '<|im_start|>user\nWhat time is it in Cairo?<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n' +
        '<tool_call>\n{"name": "get_time", "arguments": {"city": "Cairo"}}\n</tool_call><|im_end|>\n' +
        '<|im_start|>user\n<tool_response>\n{"time": "09:45"}\n</tool_response><|im_end|>\n' +
        '<|im_start|>assistant\n<think>\n\n</think>\n\n',
    );
  });

  it('makes of every text of the model what is expected', async () => {
    const rows = readRows(rowsPath);
    expect(rows.length).toBeGreaterThan(20);
    for (const row of rows) {
      answer = row.text;
      perOutput = 1 + (row.text.length % 3);
      const request = parseChatCompletionRequest({
        messages: row.messages,
        tools: row.tools,
        enable_thinking: row.thinking,
      });
      const whole = await completion.chat(request);
      expect(summary(whole)).toEqual(row.expected);
      expect(whole.choices[0]?.finish_reason).toBe(row.expected.tool_calls === undefined ? 'stop' : 'tool_calls');
      expect(whole.usage.completion_tokens).toBe(tokenizer.encode(row.text, { addSpecialTokens: false }).length);
      expect(tokenizer.decode(prompt).endsWith(row.thinking ? '<think>\n' : '</think>\n\n')).toBe(true);
    }
  });
});
