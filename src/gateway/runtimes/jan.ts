import { MODELS_PATH, textAt, versionAt } from '../evidence.js';
import type { RuntimeKind } from '../runtime-kind.js';

/** Jan (jan.ai). Its API server asks for a key unless its user turned that off. */
export const jan: RuntimeKind = {
  title: 'Jan',
  ports: [1337],
  probes: ['/openapi.json', MODELS_PATH],
  basePath: '',
  sharesPrefixCache: false,
  prove(evidence) {
    const document = evidence.json('/openapi.json');
    if (textAt(document, 'info', 'title') !== 'Jan API Server Endpoints') return undefined;
    const models = evidence.models(MODELS_PATH);
    const version = versionAt(document, 'info', 'version');
    return { by: 'GET /openapi.json has the title of Jan', version, models, needsKey: evidence.isLocked(MODELS_PATH) };
  },
};
