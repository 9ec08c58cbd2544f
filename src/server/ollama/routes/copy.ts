import { createRequestParser, OllamaCopyRequest } from '../../../api/index.js';
import { parsedBody } from '../../../endpoint/index.js';
import type { EngineRoute } from '../../engine-route.js';
import { EMPTY_ANSWER } from '../empty-answer.js';

/** `POST /api/copy`: copies a model to another name; it replaces a model of that name. */
export const copy: EngineRoute<OllamaCopyRequest> = {
  method: 'POST',
  path: '/api/copy',
  summary: 'Gives a model another name besides its own, as Ollama does.',
  body: parsedBody(OllamaCopyRequest, createRequestParser(OllamaCopyRequest)),
  async handle({ body: { source, destination }, context: { library } }) {
    await library.copy(source, destination);
    return EMPTY_ANSWER;
  },
};
