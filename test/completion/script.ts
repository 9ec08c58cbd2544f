import { type GeneratedText, dialects, renderTemplate, type TemplateVariables } from '../../src/chat/index.js';
import { AppError } from '../../src/base/index.js';
import { createCompletion, type CompletionOptions, type ModelTemplate } from '../../src/completion/index.js';
import type { GenerateRequest, Generator, SequenceOutput } from '../../src/engine/index.js';
import type { WireAnswerOptions } from '../../src/wire/index.js';
import { overWire, type WireCompletion } from '../support/wire-completion.js';

/** The added tokens of `letterTokenizer`, numbered from above all code points. */
export const ADDED = ['<|im_start|>', '<|im_end|>', '<think>', '</think>', '<tool_call>', '</tool_call>'] as const;
const FIRST_ADDED = 0x110000;
const CONTROL: readonly string[] = ['<|im_start|>', '<|im_end|>'];

function pieceOf(id: number): GeneratedText {
  return id >= FIRST_ADDED
    ? { text: '', special: String(ADDED[id - FIRST_ADDED]) }
    : { text: String.fromCodePoint(id) };
}

function bytesOf(id: number): Uint8Array {
  const { text, special } = pieceOf(id);
  return new TextEncoder().encode(special ?? text);
}

/** A tokenizer whose tokens are code points and the added tokens. */
export const letterTokenizer = {
  vocabSize: FIRST_ADDED + ADDED.length,
  encode(text: string): number[] {
    return text.split(/(<\|im_start\|>|<\|im_end\|>|<\/?think>|<\/?tool_call>)/).flatMap((part) => {
      const added = ADDED.findIndex((token) => token === part);
      return added === -1 ? Array.from(part, (letter) => letter.codePointAt(0) ?? 0) : [FIRST_ADDED + added];
    });
  },
  decode(ids: ArrayLike<number>, options: { skipSpecialTokens?: boolean } = {}): string {
    return Array.from(ids, (id) => {
      const { text, special } = pieceOf(id);
      if (special === undefined) return text;
      return options.skipSpecialTokens === true && CONTROL.includes(special) ? '' : special;
    }).join('');
  },
  tokenBytes: bytesOf,
  tokenToId: (content: string) => {
    const added = ADDED.findIndex((token) => token === content);
    return added === -1 ? content.codePointAt(0) : FIRST_ADDED + added;
  },
  createDetokenizer: () => ({
    push: (id: number) => [pieceOf(id)],
    bytesOf,
    flush: () => [],
  }),
};

/** A generator that says `outputs`, remembers what it was asked, and notes when it was left before its end. */
export interface Script extends Generator {
  readonly requests: GenerateRequest[];
  left: boolean;
}

export function createScript(outputs: readonly SequenceOutput[], contextLength = 4096): Script {
  const script: Script = {
    contextLength,
    requests: [],
    left: false,
    async *generate(request, signal) {
      script.requests.push(request);
      let ended = false;
      try {
        for (const output of outputs) {
          signal?.throwIfAborted();
          ended = output.finishReason !== undefined;
          yield output;
        }
      } finally {
        script.left = !ended;
      }
    },
  };
  return script;
}

/** `text` as outputs of one token each, ended by `finishReason`. */
export function say(text: string, finishReason: 'stop' | 'length' = 'stop'): SequenceOutput[] {
  const ids = letterTokenizer.encode(text);
  const tokens = ids.map((id): SequenceOutput => ({ tokenIds: [id] }));
  if (finishReason === 'stop') return [...tokens, { tokenIds: [], finishReason }];
  return tokens.map((output, index) => (index === tokens.length - 1 ? { ...output, finishReason } : output));
}

const TEMPLATE = `{% for m in messages %}<|im_start|>{{ m.role }}
{{ m.content }}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% if enable_thinking %}<think>
{% endif %}{% endif %}`;

/** What a test changes of a completion. */
export type TestOptions = Partial<Omit<CompletionOptions, 'template'>> &
  Pick<WireAnswerOptions, 'newId' | 'clock'> & { readonly template?: Partial<ModelTemplate> };

/** A completion over `generator` with everything else fixed, as a wire's clients see it. */
export function createTestCompletion(generator: Generator, options: TestOptions = {}): WireCompletion {
  let ids = 0;
  const { newId = () => `id${ids++}`, clock = FIXED_CLOCK, template, ...rest } = options;
  const completion = createCompletion({
    modelId: 'scripted',
    systemFingerprint: 'fp_test',
    generator,
    tokenizer: letterTokenizer,
    vocabSize: letterTokenizer.vocabSize,
    encode: (text) => letterTokenizer.encode(text),
    encodeText: (text) => letterTokenizer.encode(text),
    template: {
      render: (variables: TemplateVariables) => ({ text: renderTemplate(TEMPLATE, variables) }),
      tokens: { bosToken: null, eosToken: '<|im_end|>' },
      dialect: dialects.hermes,
      ...template,
    },
    templateMissing: () => new AppError('template_missing', 'no template'),
    stopTokenIds: [FIRST_ADDED + 1],
    newSeed: () => 7,
    ...rest,
  });
  return overWire(completion, { newId, clock });
}

const FIXED_CLOCK = { nowMs: () => 0, unixSeconds: () => 1_700_000_000, after: () => () => undefined };
