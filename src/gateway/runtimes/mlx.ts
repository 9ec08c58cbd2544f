import { at, has, listAt, MODELS_PATH, textAt } from '../evidence.js';
import type { RuntimeKind } from '../runtime-kind.js';

/** The server of mlx-lm (github.com/ml-explore/mlx-lm, mlx_lm/server.py), whose models have a date and no owner. */
export const mlx: RuntimeKind = {
  title: 'MLX',
  ports: [8080],
  probes: [MODELS_PATH, '/api/version'],
  // LiteLLM calls every provider that it has when this is asked, so it comes before.
  costlyProbes: ['/health'],
  basePath: '',
  sharesPrefixCache: false,
  prove(evidence) {
    const items = listAt(evidence.json(MODELS_PATH), 'data');
    const areModels = items.every((item) => typeof at(item, 'created') === 'number' && !has(item, 'owned_by'));
    const isWell = textAt(evidence.json('/health'), 'status') === 'ok';
    if (!isWell || items.length === 0 || !areModels || evidence.answer('/api/version')?.status === 200)
      return undefined;
    const models = evidence.models(MODELS_PATH);
    return models && { by: `GET ${MODELS_PATH} has models without owned_by, and GET /health is ok`, models };
  },
};
