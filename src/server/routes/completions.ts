import { TextCompletion, TextCompletionChunk, TextCompletionRequest } from '../../api/index.js';
import { streamWithModel, withModel } from '../answer-with-model.js';
import { requireModel } from '../require-model.js';
import { noteUsage } from '../request-record.js';
import { jsonResponse } from '../respond.js';
import type { ApiRoute } from '../route.js';
import { streamResponse } from '../stream-response.js';

/** `POST /v1/completions`: prompts continued as they are, without a template. */
export const completions: ApiRoute = {
  method: 'POST',
  path: '/v1/completions',
  summary: 'Continues texts or token ids.',
  request: TextCompletionRequest,
  response: TextCompletion,
  event: TextCompletionChunk,
  operation: 'text_completion',
  async handle(call) {
    const body = await call.context.bodies.read('text', call.request);
    const id = requireModel(body);
    if (body.stream === true) {
      const chunks = streamWithModel(
        id,
        call,
        (model, options) => model.text.stream(body, options),
        () => true,
      );
      return streamResponse(chunks, call);
    }
    const answer = await withModel(id, call, (model, options) => model.text.complete(body, options));
    noteUsage(call.record, answer.usage);
    return jsonResponse(answer);
  },
};
