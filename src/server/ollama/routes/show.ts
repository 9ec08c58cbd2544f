import { OllamaShown, OllamaShowRequest } from '../../../api/index.js';
import { jsonResponse } from '../../../endpoint/index.js';
import { toRfc3339 } from '../../../wire/index.js';
import type { EngineRoute, ServerContext } from '../../engine-route.js';
import type { WithModel } from '../../model-body.js';
import { toDetails } from '../model-details.js';
import { ollamaBody } from '../ollama-body.js';

type Facts = Awaited<ReturnType<ServerContext['library']['describe']>>;

/** `POST /api/show`: the details and abilities of a model, without loading it. */
export const show: EngineRoute<WithModel<OllamaShowRequest>> = {
  method: 'POST',
  path: '/api/show',
  summary: 'Describes a model and its abilities, as Ollama does.',
  body: ollamaBody(OllamaShowRequest),
  response: OllamaShown,
  async handle({ body, context }) {
    const isVerbose = body.verbose === true;
    const model = await context.library.find(body.model);
    const facts = await context.library.describe(model, isVerbose);
    const template = context.engine.template ?? facts.template ?? '';
    const options = toOptionLines(facts);
    return jsonResponse({
      ...(facts.license !== undefined && { license: facts.license }),
      modelfile: [`FROM ${model.id}`, ...options.map((line) => `PARAMETER ${line}`), ''].join('\n'),
      parameters: options.join('\n'),
      template,
      details: toDetails(facts),
      model_info: facts.info,
      capabilities: await capabilitiesOf(facts, template, context),
      modified_at: toRfc3339(model.changedMs),
      ...(isVerbose && { tensors: facts.tensors }),
    });
  },
};

/** The authors' recommendations, in Ollama's words, an option a line. */
function toOptionLines({ generation }: Facts): string[] {
  const { temperature, topK, topP, minP, repetitionPenalty } = generation;
  const options = { temperature, top_k: topK, top_p: topP, min_p: minP, repeat_penalty: repetitionPenalty };
  return Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : `${name} ${value}`));
}

/** Every model continues text and makes vectors; the rest is in its template. */
async function capabilitiesOf(
  { bosToken, eosToken }: Facts,
  template: string,
  { templates }: ServerContext,
): Promise<OllamaShown['capabilities']> {
  if (template === '') return ['completion', 'embedding'];
  const { tools, thinking } = await templates.skillsOf({ template, bosToken, eosToken });
  return [
    'completion',
    ...(tools ? (['tools'] as const) : []),
    ...(thinking ? (['thinking'] as const) : []),
    'embedding',
  ];
}
