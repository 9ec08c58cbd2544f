import { MessagesCount, MessagesCountRequest } from '../../api/index.js';
import { jsonResponse } from '../../endpoint/index.js';
import { parseMessagesCountRequest, toMessagesPrompt } from '../../wire/index.js';
import { withModel } from '../answer-with-model.js';
import type { EngineRoute } from '../engine-route.js';
import { toMessagesHeaders } from '../messages-errors.js';
import { modelBody, type WithModel } from '../model-body.js';

/** `POST /v1/messages/count_tokens`: the tokens of the prompt that a conversation makes, as an answer would count them. */
export const messagesCountTokens: EngineRoute<WithModel<MessagesCountRequest>> = {
  method: 'POST',
  path: '/v1/messages/count_tokens',
  summary: 'Counts the tokens of a conversation.',
  body: modelBody(MessagesCountRequest, parseMessagesCountRequest, ['tools', 'chat_template_kwargs']),
  response: MessagesCount,
  async handle(call) {
    const { body, request } = call;
    const prompt = toMessagesPrompt(body);
    const tokens = await withModel(body.model, call, ({ completion }, { signal }) =>
      completion.countTokens(prompt, signal),
    );
    return jsonResponse({ input_tokens: tokens }, toMessagesHeaders(request.id));
  },
};
