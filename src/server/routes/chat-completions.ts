import {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionRequest,
  parseChatCompletionRequest,
  withJsonSources,
} from '../../api/index.js';
import { jsonResponse, streamResponse } from '../../endpoint/index.js';
import { streamWithModel, withModel } from '../answer-with-model.js';
import { noteUsage } from '../engine-record.js';
import type { EngineRoute } from '../engine-route.js';
import { modelBody, type WithModel } from '../model-body.js';

/** `POST /v1/chat/completions`: an answer, whole or as events, as the body asks; what `Accept` says does not matter. */
export const chatCompletions: EngineRoute<WithModel<ChatCompletionRequest>> = {
  method: 'POST',
  path: '/v1/chat/completions',
  summary: 'Answers a conversation.',
  body: modelBody(
    ChatCompletionRequest,
    (value, sources) => withJsonSources(parseChatCompletionRequest(value), sources),
    ['tools', 'chat_template_kwargs'],
  ),
  response: ChatCompletion,
  event: ChatCompletionChunk,
  operation: 'chat',
  async handle(call) {
    const { body } = call;
    const id = body.model;
    if (body.stream === true) {
      const chunks = streamWithModel(id, call, (model, options) => model.completion.stream(body, options), isToken);
      return streamResponse(chunks, call, call.context.streams);
    }
    const answer = await withModel(id, call, (model, options) => model.completion.chat(body, options));
    noteUsage(call.record, answer.usage);
    return jsonResponse(answer);
  },
};

function isToken({ choices: [choice] }: ChatCompletionChunk): boolean {
  return choice !== undefined && choice.delta.role === undefined;
}
