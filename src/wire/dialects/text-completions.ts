import { toTextLogprobs } from '../../answers/index.js';
import {
  DEFAULT_COMPLETION_TOKENS,
  toErrorBody,
  TextCompletion,
  TextCompletionChunk,
  type TextPrompt,
  type Usage,
} from '../../api/index.js';
import { present } from '../../base/index.js';
import type { ChoiceEnd, Delta, ContentLogprob } from '../../completion/index.js';
import { doneFraming, type AnswerHead, type WireDialect, type WireRequest } from '../dialect.js';
import { readFormat } from '../parsing/read-format.js';
import { parseTextCompletionRequest } from '../parsing/parse-text-completion-request.js';
import { TextCompletionRequest } from '../request-schemas.js';
import { fieldNames, toEnds, toLimit, toSamplingChoice } from '../sampling-choice.js';
import { toUsage } from '../usage.js';

/** A choice of a whole answer while its events come. */
interface OpenChoice {
  readonly echo: string;
  text: string;
  readonly tokens: ContentLogprob[];
  end: ChoiceEnd | undefined;
}

/** OpenAI's older completions: prompts continued as they are. */
export const textCompletions: WireDialect<TextCompletion, TextCompletionChunk> = {
  schemas: { request: TextCompletionRequest, whole: TextCompletion, event: TextCompletionChunk },
  idPrefix: 'cmpl-',
  sources: [],
  read: (value) => toRequest(parseTextCompletionRequest(value)),
  toError: toErrorBody,
  framing: doneFraming,

  toEvents({ tellsUsage }, head) {
    const lengths: number[] = [];
    const write = (choice: TextCompletionChunk['choices'][number]): TextCompletionChunk => {
      return { ...toHead(head), choices: [choice], ...(tellsUsage && { usage: null }) };
    };
    return (event) => {
      if (event.type === 'begin') {
        lengths.push(...event.echoes.map((echo) => echo.length));
        return event.echoes.flatMap((text, index) =>
          text === '' ? [] : [write({ index, text, logprobs: null, finish_reason: null })],
        );
      }
      if (event.type === 'end')
        return tellsUsage ? [{ ...toHead(head), choices: [], usage: toUsage(event.usage) }] : [];
      const { index, deltas, end } = event;
      const chunks = contentOf(deltas).map(({ text, logprobs: tokens }) => {
        const at = present(lengths[index], 'an event is of a choice');
        lengths[index] = at + text.length;
        const logprobs = tokens === undefined ? null : toTextLogprobs(tokens, at);
        return write({ index, text, logprobs, finish_reason: null });
      });
      if (end !== undefined) chunks.push(write({ index, text: '', logprobs: null, finish_reason: toReason(end) }));
      return chunks;
    };
  },

  toWhole({ completion }, head) {
    const open: OpenChoice[] = [];
    let usage: Usage | undefined;
    return {
      add(event) {
        if (event.type === 'begin') {
          open.push(...event.echoes.map((echo): OpenChoice => ({ echo, text: '', tokens: [], end: undefined })));
        } else if (event.type === 'end') usage = toUsage(event.usage);
        else {
          const choice = present(open[event.index], 'an event is of a choice');
          for (const { text, logprobs = [] } of contentOf(event.deltas)) {
            choice.text += text;
            choice.tokens.push(...logprobs);
          }
          choice.end ??= event.end;
        }
      },
      finish: () => ({
        ...toHead(head),
        choices: open.map(({ echo, text, tokens, end }, index) => ({
          index,
          text: echo + text,
          logprobs: completion.logprobs === undefined ? null : toTextLogprobs(tokens, 0),
          finish_reason: toReason(present(end, 'every choice ends')),
        })),
        usage: present(usage, 'an answer ends with its usage'),
      }),
    };
  },
};

/** What a checked body asks for. */
function toRequest(body: TextCompletionRequest): WireRequest {
  const wanted = readFormat(body);
  return {
    model: body.model,
    isStream: body.stream === true,
    tellsUsage: body.stream_options?.include_usage === true,
    completion: {
      kind: 'text',
      prompts: toPrompts(body.prompt),
      echo: body.echo === true,
      readsControlTokensAsText: body.parse_special === false,
      ...toEnds(body),
      sampling: toSamplingChoice(body),
      n: body.n ?? 1,
      maxTokens: toLimit(body.max_tokens ?? DEFAULT_COMPLETION_TOKENS),
      logprobs: body.logprobs,
      format: wanted?.format,
      fields: fieldNames(body, wanted?.field),
    },
  };
}

function toHead({ id, created, model, systemFingerprint }: AnswerHead): Omit<TextCompletion, 'choices' | 'usage'> {
  return { id, object: 'text_completion', created, model, system_fingerprint: systemFingerprint };
}

/** The prompts of a request, each a text or token ids. */
function toPrompts(prompt: TextPrompt): readonly (string | number[])[] {
  if (typeof prompt === 'string') return [prompt];
  return isNumbers(prompt) ? [prompt] : prompt;
}

function isNumbers(prompt: Exclude<TextPrompt, string>): prompt is number[] {
  return typeof prompt[0] === 'number';
}

function contentOf(deltas: readonly Delta[]): Extract<Delta, { type: 'content' }>[] {
  return deltas.filter((delta) => delta.type === 'content');
}

function toReason({ finishReason }: ChoiceEnd): 'stop' | 'length' {
  return finishReason === 'length' ? 'length' : 'stop';
}
