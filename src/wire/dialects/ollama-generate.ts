import { OllamaGenerateAnswer, OllamaGenerateRequest, type OllamaMetrics } from '../../api/index.js';
import { AppError, present } from '../../base/index.js';
import {
  messageText,
  textParts,
  type ChoiceEnd,
  type Delta,
  type EndEvent,
  type Message,
} from '../../completion/index.js';
import { lineFraming, type AnswerHead, type WireDialect, type WireRequest } from '../dialect.js';
import { toDoneReason, toLogprobs, toMetrics, toPieceHead } from '../ollama/answer-fields.js';
import { ollamaFields, readThink, refuseImages, toHeadOf, toNothing, toWishes } from '../ollama/common-fields.js';
import { toOllamaError } from '../ollama/errors.js';
import { createBodyParser } from '../ollama/parse-body.js';

const parse = createBodyParser<OllamaGenerateRequest>(OllamaGenerateRequest, checkBody);

/** `POST /api/generate` of Ollama: a prompt as a conversation of one turn, or raw. Source: ollama/ollama, server/routes.go, `GenerateHandler`. */
export const ollamaGenerate: WireDialect<OllamaGenerateAnswer, OllamaGenerateAnswer> = {
  schemas: { request: OllamaGenerateRequest, whole: OllamaGenerateAnswer, event: OllamaGenerateAnswer },
  idPrefix: '',
  sources: [],
  read: (value) => toRequest(parse(value)),
  toError: toOllamaError,
  framing: lineFraming,

  toEvents(request, head) {
    let end: ChoiceEnd | undefined;
    const write = (delta: Delta): OllamaGenerateAnswer[] => {
      const piece = { ...toPieceHead(head), response: '', done: false };
      if (delta.type === 'content') return [{ ...piece, response: delta.text, ...toLogprobs(delta) }];
      return delta.type === 'reasoning' ? [{ ...piece, thinking: delta.text }] : [];
    };
    return (event) => {
      if (event.type === 'begin') return [];
      if (event.type === 'end') return [toLast(request, head, { response: '' }, end, event)];
      end ??= event.end;
      return event.deltas.flatMap(write);
    };
  },

  toWhole(request, head) {
    const logprobs: NonNullable<OllamaGenerateAnswer['logprobs']> = [];
    const text = { response: '', thinking: '' };
    let end: ChoiceEnd | undefined;
    let last: EndEvent | undefined;
    return {
      add(event) {
        if (event.type === 'end') last = event;
        if (event.type !== 'choice') return;
        for (const delta of event.deltas) {
          if (delta.type === 'content') text.response += delta.text;
          if (delta.type === 'reasoning') text.thinking += delta.text;
          logprobs.push(...(toLogprobs(delta).logprobs ?? []));
        }
        end ??= event.end;
      },
      finish() {
        const { response, thinking } = text;
        const said = { response, ...(thinking !== '' && { thinking }) };
        const whole = toLast(request, head, said, end, present(last, 'an answer has an end'));
        return request.completion.logprobs === undefined || end === undefined ? whole : { ...whole, logprobs };
      },
    };
  },
};

/** What a checked body asks for. */
function toRequest(body: OllamaGenerateRequest): WireRequest {
  const { prompt = '', raw = false } = body;
  const head = toHeadOf(body, prompt === '');
  if (prompt === '') return { ...head, completion: toNothing(body) };
  return { ...head, completion: raw ? toRaw(body, prompt) : toConversation(body, prompt) };
}

/** The piece that ends an answer. */
function toLast(
  request: WireRequest,
  head: AnswerHead,
  said: Pick<OllamaGenerateAnswer, 'response' | 'thinking'>,
  end: ChoiceEnd | undefined,
  { usage, tokenIds }: EndEvent,
): OllamaGenerateAnswer {
  const metrics: OllamaMetrics = toMetrics(usage, head);
  const reason = toDoneReason(request, end);
  const context = tokenIds === undefined ? {} : { context: [...tokenIds] };
  return { ...toPieceHead(head), ...said, done: true, done_reason: reason, ...context, ...metrics };
}

/** Control tokens in a raw prompt are control tokens: its client writes the template's text. */
function toRaw(body: OllamaGenerateRequest, prompt: string): WireRequest['completion'] {
  const common = { ...toWishes(body), fields: ollamaFields };
  return { kind: 'text', ...common, prompts: [prompt], echo: false, readsControlTokensAsText: false };
}

function toConversation(body: OllamaGenerateRequest, prompt: string): WireRequest['completion'] {
  const { system = '', context, think } = body;
  const messages: Message[] = [
    ...(system === '' ? [] : [{ role: 'system', content: textParts(system) } as const]),
    { role: 'user', content: textParts(prompt) },
  ];
  return {
    kind: 'chat',
    ...toWishes(body),
    messages,
    tools: [],
    thinking: readThink(body),
    trustsControlTokens: false,
    dropsUnsupported: body.drop_unsupported === true,
    endsWithFirstCall: false,
    earlierTokenIds: context,
    tellsTokenIds: true,
    // A base model continues the text.
    textWithoutTemplate: messages.map(messageText).join('\n\n'),
    fields: {
      ...ollamaFields,
      messages: 'system',
      ...(think !== undefined && { thinking: 'think' }),
    },
  };
}

/** Errors: `invalid_value`, `unsupported_parameter`. */
function checkBody(body: OllamaGenerateRequest): void {
  const { suffix = '', template = '', system = '', context = [], raw = false } = body;
  refuseImages(body.images, 'images');
  if (raw && (template !== '' || system !== '' || context.length > 0)) {
    const message = 'raw mode does not support template, system, or context; leave them out, or raw';
    throw new AppError('invalid_value', message, { param: 'raw' });
  }
  if (suffix !== '') {
    const message = `"${body.model}" does not support insert; leave suffix out`;
    throw new AppError('unsupported_parameter', message, { param: 'suffix' });
  }
  if (template !== '') {
    const message =
      'template is not supported: it is in the template language of Go; start the server with --template, or send raw';
    throw new AppError('unsupported_parameter', message, { param: 'template' });
  }
}
