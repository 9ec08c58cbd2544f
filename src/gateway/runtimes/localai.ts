import { MODELS_PATH, textAt, versionAt } from '../evidence.js';
import type { RuntimeKind } from '../runtime-kind.js';

/**
 * LocalAI (github.com/mudler/LocalAI, core/http/routes). It answers all of Ollama's API, and /readyz, which Ollama
 * lacks.
 */
export const localai: RuntimeKind = {
  title: 'LocalAI',
  ports: [8080],
  probes: ['/readyz', '/api/extra/version', '/version', MODELS_PATH],
  basePath: '',
  sharesPrefixCache: false,
  prove(evidence) {
    const ready = evidence.answer('/readyz');
    const isReady = ready?.status === 200 && ready.body.trim() === '' && ready.contentType !== 'text/html';
    const isLoading = textAt(evidence.json('/readyz', 503), 'status') !== undefined;
    // A server that is content with any path proves nothing by this one.
    if (!(isReady || isLoading) || evidence.answer('/api/extra/version')?.status === 200) return undefined;
    const models = evidence.models(MODELS_PATH);
    const needsKey = evidence.wantsKey(MODELS_PATH);
    if (models === undefined && !needsKey) return undefined;
    const by = isReady ? 'GET /readyz is empty with status 200' : 'GET /readyz has a status with 503';
    return { by, version: versionAt(evidence.json('/version'), 'version'), models, needsKey };
  },
};
