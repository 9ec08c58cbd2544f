import { checkDimensions, OllamaEmbeddings, OllamaEmbedRequest } from '../../../api/index.js';
import { jsonResponse } from '../../../endpoint/index.js';
import { AnswerTimer, readKeepAlive } from '../../../wire/index.js';
import { withModel } from '../../answer-with-model.js';
import { recordTokens } from '../../engine-record.js';
import type { EngineRoute } from '../../engine-route.js';
import { ollamaBody } from '../ollama-body.js';
import type { WithModel } from '../../model-body.js';

const NANOSECONDS = 1e6;

/** `POST /api/embed`: a vector for each input. */
export const embed: EngineRoute<WithModel<OllamaEmbedRequest>> = {
  method: 'POST',
  path: '/api/embed',
  summary: 'Makes vectors of texts, as Ollama does.',
  body: ollamaBody(OllamaEmbedRequest),
  response: OllamaEmbeddings,
  operation: 'embeddings',
  async handle(call) {
    const { body, request, context } = call;
    const { model: name, input = [], truncate = true } = body;
    const timer = new AnswerTimer(context.clock, request.receivedMs);
    const inputs = typeof input === 'string' ? [input].filter(Boolean) : input;
    const { embeddings, promptTokens } = await withModel(
      name,
      call,
      async (model, { signal, caller }) => {
        timer.opened();
        checkDimensions(body, model.hiddenSize);
        if (inputs.length === 0) return { embeddings: [], promptTokens: 0 };
        return model.embed(inputs, { signal, caller, truncate });
      },
      readKeepAlive(body.keep_alive),
    );
    recordTokens(call.record, { promptTokens, completionTokens: 0 });
    const { totalMs, loadMs } = timer.read();
    return jsonResponse({
      model: name,
      embeddings: embeddings.map((vector) => Array.from(vector)),
      total_duration: Math.round(totalMs * NANOSECONDS),
      load_duration: Math.round(loadMs * NANOSECONDS),
      prompt_eval_count: promptTokens,
    });
  },
};
