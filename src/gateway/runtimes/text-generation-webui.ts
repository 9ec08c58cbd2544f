import { at, has, MODELS_PATH } from '../evidence.js';
import type { RuntimeKind } from '../runtime-kind.js';

const INFO = '/v1/internal/model/info';

/** text-generation-webui (github.com/oobabooga/text-generation-webui, extensions/openai). */
export const textGenerationWebui: RuntimeKind = {
  title: 'text-generation-webui',
  ports: [5000],
  probes: [INFO, MODELS_PATH],
  basePath: '',
  sharesPrefixCache: false,
  prove(evidence) {
    const info = evidence.json(INFO);
    if (!has(info, 'model_name') || !Array.isArray(at(info, 'lora_names'))) return undefined;
    return { by: `GET ${INFO} has model_name and lora_names`, models: evidence.models(MODELS_PATH) };
  },
};
