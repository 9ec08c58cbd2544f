import { has, isOwnedBy, listAt, MODELS_PATH, textAt } from '../evidence.js';
import type { RuntimeKind } from '../runtime-kind.js';

/** LM Studio (lmstudio.ai/docs). It answers 200 to every path, so only the contents of its own lists count. */
export const lmStudio: RuntimeKind = {
  title: 'LM Studio',
  ports: [1234],
  probes: ['/api/v1/models', '/api/v0/models', '/props', MODELS_PATH],
  basePath: '',
  sharesPrefixCache: false,
  prove(evidence) {
    const models = evidence.models(MODELS_PATH);
    const needsKey = evidence.wantsKey(MODELS_PATH);
    if (models === undefined && !needsKey) return undefined;
    const current = listAt(evidence.json('/api/v1/models'), 'models');
    if (areAll(current, 'key', 'publisher', 'loaded_instances', 'max_context_length')) {
      return { by: 'GET /api/v1/models has keys, publishers and loaded instances', models, needsKey };
    }
    const older = listAt(evidence.json('/api/v0/models'), 'data');
    if (areAll(older, 'compatibility_type', 'state', 'max_context_length')) {
      return { by: 'GET /api/v0/models has compatibility types and states', models, needsKey };
    }
    const refusal = textAt(evidence.json('/props'), 'error') ?? '';
    const isOwn = isOwnedBy(evidence.json(MODELS_PATH), 'organization_owner');
    if (!isOwn || !refusal.startsWith('Unexpected endpoint or method.')) return undefined;
    return { by: `GET ${MODELS_PATH} has models owned by organization_owner`, models };
  },
};

function areAll(items: readonly unknown[], ...keys: readonly string[]): boolean {
  return items.length > 0 && items.every((item) => has(item, ...keys));
}
