import { has, isOwnedBy, listAt, MODELS_PATH, versionAt } from '../evidence.js';
import type { RuntimeKind } from '../runtime-kind.js';

/** vLLM (github.com/vllm-project/vllm, entrypoints/openai). Many servers have /version, so its models must be vLLM's too. */
export const vllm: RuntimeKind = {
  title: 'vLLM',
  ports: [8000],
  probes: ['/version', MODELS_PATH],
  basePath: '',
  sharesPrefixCache: true,
  prove(evidence) {
    const list = evidence.json(MODELS_PATH);
    const version = versionAt(evidence.json('/version'), 'version');
    const areModels = listAt(list, 'data').every((model) => has(model, 'max_model_len'));
    if (version === undefined || !areModels || !isOwnedBy(list, 'vllm')) return undefined;
    return { by: `GET ${MODELS_PATH} has models owned by vllm`, version, models: evidence.models(MODELS_PATH) };
  },
};
