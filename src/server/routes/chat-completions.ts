import { ChatCompletion, ChatCompletionChunk, ChatCompletionRequest } from '../../api/index.js';
import { streamWithModel, withModel } from '../answer-with-model.js';
import { requireModel } from '../require-model.js';
import { noteUsage } from '../request-record.js';
import { jsonResponse } from '../respond.js';
import type { ApiRoute } from '../route.js';
import { streamResponse } from '../stream-response.js';

/** `POST /v1/chat/completions`: an answer, whole or as events, as the body asks; what `Accept` says does not matter. */
export const chatCompletions: ApiRoute = {
  method: 'POST',
  path: '/v1/chat/completions',
  summary: 'Answers a conversation.',
  request: ChatCompletionRequest,
  response: ChatCompletion,
  event: ChatCompletionChunk,
  operation: 'chat',
  async handle(call) {
    const body = await call.context.bodies.read('chat', call.request);
    const id = requireModel(body);
    if (body.stream === true) {
      const chunks = streamWithModel(id, call, (model, options) => model.completion.stream(body, options), isToken);
      return streamResponse(chunks, call);
    }
    const answer = await withModel(id, call, (model, options) => model.completion.chat(body, options));
    noteUsage(call.record, answer.usage);
    return jsonResponse(answer);
  },
};

function isToken({ choices: [choice] }: ChatCompletionChunk): boolean {
  return choice !== undefined && choice.delta.role === undefined;
}
