import { OllamaDeleteRequest } from '../../../api/index.js';
import type { EngineRoute } from '../../engine-route.js';
import type { WithModel } from '../../model-body.js';
import { EMPTY_ANSWER } from '../empty-answer.js';
import { ollamaBody } from '../ollama-body.js';

/** `DELETE /api/delete`: the files of a model go; answers that it is giving end well. */
export const remove: EngineRoute<WithModel<OllamaDeleteRequest>> = {
  method: 'DELETE',
  path: '/api/delete',
  summary: 'Removes a model from the models directory, as Ollama does.',
  body: ollamaBody(OllamaDeleteRequest),
  async handle({ body, context: { library } }) {
    await library.remove(body.model);
    return EMPTY_ANSWER;
  },
};
