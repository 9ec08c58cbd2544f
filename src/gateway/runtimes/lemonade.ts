import { has, textAt, versionAt } from '../evidence.js';
import type { RuntimeKind } from '../runtime-kind.js';

const LIST = '/api/v1/models';

/** Lemonade (github.com/lemonade-sdk/lemonade, docs/server). It may sit on Ollama's port; its OpenAI API lies below /api. */
export const lemonade: RuntimeKind = {
  title: 'Lemonade',
  ports: [13305, 8000],
  probes: ['/api/v1/health', LIST],
  basePath: '/api',
  sharesPrefixCache: false,
  prove(evidence) {
    const health = evidence.json('/api/v1/health');
    const tellsModel = ['model_loaded', 'checkpoint_loaded', 'all_models_loaded'].some((key) => has(health, key));
    const models = evidence.models(LIST);
    const needsKey = evidence.wantsKey(LIST);
    if (textAt(health, 'status') === undefined || !tellsModel || (models === undefined && !needsKey)) return undefined;
    const version = versionAt(health, 'version');
    return { by: 'GET /api/v1/health has a status and the model that is loaded', version, models, needsKey };
  },
};
