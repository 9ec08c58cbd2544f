import {
  parseTextCompletionRequest,
  TextCompletion,
  TextCompletionChunk,
  TextCompletionRequest,
} from '../../api/index.js';
import { jsonResponse, streamResponse } from '../../endpoint/index.js';
import { streamWithModel, withModel } from '../answer-with-model.js';
import { noteUsage } from '../engine-record.js';
import type { EngineRoute } from '../engine-route.js';
import { modelBody, type WithModel } from '../model-body.js';

/** `POST /v1/completions`: prompts continued as they are, without a template. */
export const completions: EngineRoute<WithModel<TextCompletionRequest>> = {
  method: 'POST',
  path: '/v1/completions',
  summary: 'Continues texts or token ids.',
  body: modelBody(TextCompletionRequest, parseTextCompletionRequest),
  response: TextCompletion,
  event: TextCompletionChunk,
  operation: 'text_completion',
  async handle(call) {
    const { body } = call;
    const id = body.model;
    if (body.stream === true) {
      const chunks = streamWithModel(
        id,
        call,
        (model, options) => model.text.stream(body, options),
        () => true,
      );
      return streamResponse(chunks, call, call.context.streams);
    }
    const answer = await withModel(id, call, (model, options) => model.text.complete(body, options));
    noteUsage(call.record, answer.usage);
    return jsonResponse(answer);
  },
};
