import { OllamaPullLine, OllamaPullRequest } from '../../../api/index.js';
import { jsonResponse, streamResponse } from '../../../endpoint/index.js';
import { dialects } from '../../../wire/index.js';
import type { EngineRoute } from '../../engine-route.js';
import type { WithModel } from '../../model-body.js';
import { ollamaBody } from '../ollama-body.js';
import { pullLines } from '../pull-lines.js';

/** `POST /api/pull`: the model of a repository of a hub is pulled, or updated; a client that leaves does not stop it. */
export const pull: EngineRoute<WithModel<OllamaPullRequest>> = {
  method: 'POST',
  path: '/api/pull',
  summary: 'Pulls a model from the hub into the models directory, and reports progress, as Ollama does.',
  body: ollamaBody(OllamaPullRequest),
  response: OllamaPullLine,
  event: OllamaPullLine,
  eventType: dialects.ollamaChat.framing.mediaType,
  async handle({ body, request, context, record }) {
    const { library, kindOf, streams } = context;
    if (body.stream === false) {
      await library.pull(body.model);
      return jsonResponse({ status: 'success' });
    }
    const { framing, toError } = dialects.ollamaChat;
    const toErrors = (error: Parameters<typeof toError>[0]): readonly object[] => [toError(error, kindOf)];
    return streamResponse(pullLines(library, body.model), { request, record }, { ...framing, ...streams, toErrors });
  },
};
